import react from "@vitejs/plugin-react";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { type Plugin, defineConfig } from "vite";

// Three builds, because each is served elsewhere: the page, what shows content of strangers, and the canvas that
// hosts show in their chats, which scripts/build.mjs makes one document of. `RESULTANT_BUILD` says which.
const isSandbox = process.env.RESULTANT_BUILD === "sandbox";
const isHostApp = process.env.RESULTANT_BUILD === "hostapp";
const page = resolve(import.meta.dirname, "index.html");
const shells = ["stage", "run", "app"].map((name) => resolve(import.meta.dirname, `sandbox/${name}.html`));

/** What the PDF viewer asks for by name: character maps, fonts, decoders. Nothing that runs scripts of a PDF. */
function pdfAssets(): Plugin {
  const root = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  const wanted = { cmaps: /\.bcmap$/, standard_fonts: /\.(pfb|ttf)$/, wasm: /^(jbig2|openjpeg|qcms_bg)\.wasm$/, iccs: /\.icc$/ };
  return {
    name: "pdf-assets",
    generateBundle() {
      for (const [folder, names] of Object.entries(wanted)) {
        for (const name of readdirSync(join(root, folder)).filter((each) => names.test(each))) {
          const source = readFileSync(join(root, folder, name));
          this.emitFile({ type: "asset", fileName: `assets/pdf/${folder}/${name}`, source });
        }
      }
    },
  };
}

export default defineConfig({
  root: isSandbox ? resolve(import.meta.dirname, "sandbox") : import.meta.dirname,
  base: "./",
  plugins: [react(), ...(isSandbox ? [pdfAssets()] : [])],
  build: {
    outDir: resolve(import.meta.dirname, isSandbox ? "dist/sandbox" : "dist/page"),
    emptyOutDir: true,
    target: "chrome120",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    rollupOptions: isHostApp
      ? { input: resolve(import.meta.dirname, "hostapp/main.ts"), output: { entryFileNames: "canvas.js", assetFileNames: "canvas[extname]" } }
      : { input: isSandbox ? shells : page },
  },
});
