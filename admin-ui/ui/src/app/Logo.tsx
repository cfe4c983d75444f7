/** A gate between two posts, with water below. */
export function Logo() {
  return (
    <svg className="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#0f4c5c" />
      <path d="M7 7v18M25 7v18" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
      <path d="M11.5 8h9v7h-9z" fill="#fff" />
      <path
        d="M10.5 20.5c1.8 0 1.8 1.6 3.7 1.6s1.8-1.6 3.6-1.6 1.8 1.6 3.7 1.6M10.5 25c1.8 0 1.8 1.2 3.7 1.2S16 25 17.8 25s1.8 1.2 3.7 1.2"
        fill="none"
        stroke="#6fd6e0"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </svg>
  );
}
