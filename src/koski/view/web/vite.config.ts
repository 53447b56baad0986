import { defineConfig } from "vite";

// The page is served under a Content-Security-Policy of 'self': nothing may be inlined.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../page",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
  },
  server: { proxy: { "/ws": { target: "ws://127.0.0.1:8000", ws: true }, "/api": "http://127.0.0.1:8000" } },
});
