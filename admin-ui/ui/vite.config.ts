import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  build: {
    // Where the module's jar is made of.
    outDir: '../target/classes/static',
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would need exceptions in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // `npx vite` while developing: the API comes from a console that runs.
    proxy: { '/api': process.env['SLUICE_CONSOLE'] ?? 'http://127.0.0.1:8080' },
  },
});
