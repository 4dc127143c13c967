/**
 * The URL of a module of this program, by its path without extension. A clone runs .ts files, and
 * the published package the .js files emitted from them. TypeScript rewrites the paths in import
 * statements, but not those of threads and processes, which are started by URL.
 */
export function moduleBeside(importerUrl: string, path: string): URL {
  const extension = importerUrl.endsWith(".ts") ? ".ts" : ".js";
  return new URL(`${path}${extension}`, importerUrl);
}
