// `vite build` writes what the server serves below /console/. `vite` (npm run dev) serves the
// sources, and passes requests on to a running server with the token of its data folder.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vite";
import type { Plugin, ProxyOptions } from "vite";

const server = process.env["SETPOINT_SERVER"] ?? "https://127.0.0.1:7443";
const data = process.env["SETPOINT_DATA"] ?? join(import.meta.dirname, "..", "setpoint-data");

const proxied = [
  "/api",
  "/apis",
  "/openapi",
  "/operations",
  "/version",
  "/metrics",
  "/swagger",
  "/providers",
];

function proxy(): Record<string, ProxyOptions> {
  const token = readFileSync(join(data, "admin.token"), "utf8").trim();
  const options: ProxyOptions = {
    target: server,
    secure: false,
    headers: { authorization: `Bearer ${token}` },
  };
  return Object.fromEntries(proxied.map((path) => [path, options]));
}

/** The session of the token, while no server is in front. */
function session(): Plugin {
  return {
    name: "session",
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        // Sources such as session.ts are in a folder of the same name.
        if (request.url !== "/console/api/session") return next();
        const now = { name: "dev", version: "dev", revision: "dev" };
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ user: "admin", groups: [], method: "token", server: now }));
      });
    },
  };
}

// oxlint-disable-next-line import/no-default-export -- Vite reads the default export
export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  base: "/console/",
  build: {
    outDir: join(import.meta.dirname, "..", ".cache", "console", "manual"),
    emptyOutDir: true,
    target: "es2023",
    cssTarget: ["chrome125", "firefox128", "safari17.5"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: command === "serve" ? [session()] : [],
  ...(command === "serve" ? { server: { host: "127.0.0.1", proxy: proxy() } } : {}),
}));
