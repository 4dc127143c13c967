// The documentation site: the Markdown of this repository, with a sidebar from docs/README.md and a
// search that runs in the browser. `npm run site` builds it into .cache/site.
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { pages, siteFolder } from "../places.ts";
import { linksToSources } from "../source-links.ts";
import { sidebarFrom } from "../sidebar.ts";

export default defineConfig({
  title: "Setpoint",
  description: "A control plane in one process",
  srcDir: pages,
  outDir: siteFolder,
  cacheDir: join(pages, "..", "vite"),
  rewrites: { "README.md": "index.md", "docs/README.md": "docs/index.md" },
  // A path such as {id} at the end of a heading is text, not an attribute.
  markdown: { attrs: { disable: true }, config: (md) => void md.use(linksToSources) },
  // Pages at the top of the repository name pictures as GitHub wants them, without "./".
  vite: { resolve: { alias: { "docs/images": join(pages, "docs", "images") } } },
  themeConfig: {
    search: { provider: "local" },
    nav: [
      { text: "Documentation", link: "/docs/" },
      { text: "Architecture", link: "/ARCHITECTURE" },
      { text: "Changelog", link: "/CHANGELOG" },
    ],
    sidebar: sidebarFrom(join(pages, "docs", "README.md")),
    outline: [2, 3],
  },
});
