import type { MouseEvent, ReactNode } from 'react';
import { navigate } from './router';

/** A link inside the console: no reload, but all that a browser offers for links. */
export function Link({
  to,
  current,
  className,
  children,
}: {
  to: string;
  current?: boolean;
  className?: string;
  children: ReactNode;
}) {
  const follow = (event: MouseEvent) => {
    if (event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      navigate(to);
    }
  };
  return (
    <a href={to} onClick={follow} className={className} aria-current={current === true ? 'page' : undefined}>
      {children}
    </a>
  );
}
