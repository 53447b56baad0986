import { defineConfig } from "vite";

const target = "http://127.0.0.1:8000"; // `koski play --port 8000`, which hears only its own page
const server = { target, changeOrigin: true, headers: { origin: target } };

export default defineConfig({
  base: "./", // nothing is inlined: the server's Content-Security-Policy lets in files alone
  build: {
    outDir: "../page",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1200,
  },
  server: { proxy: { "/ws": { ...server, ws: true, rewriteWsOrigin: true }, "/api": server } },
});
