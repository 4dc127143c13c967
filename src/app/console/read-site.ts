/** Reads the built console into memory. Beside a file may be its compressed forms. */
import { hash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { SiteFile } from "../../surfaces/console/site.ts";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const compressed: Readonly<Record<string, "brotli" | "gzip">> = { ".br": "brotli", ".gz": "gzip" };

/** These are compressed already. */
const dense: ReadonlySet<string> = new Set([".png", ".woff2"]);

/** Undefined when the folder contains no build. */
export async function readSite(folder: string): Promise<ReadonlyMap<string, SiteFile> | undefined> {
  const paths = await filesIn(folder);
  if (!paths.includes("index.html")) return undefined;
  const sources = paths.filter((path) => compressed[extname(path)] === undefined);
  const files = await Promise.all(
    sources.map(async (path) => [path, await readSiteFile(folder, path, new Set(paths))] as const),
  );
  return new Map(files);
}

/** Paths below the folder, with "/" between their parts; empty when there is no folder. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

async function readSiteFile(
  folder: string,
  path: string,
  paths: ReadonlySet<string>,
): Promise<SiteFile> {
  const plain = await readFile(join(folder, path));
  const form = async (suffix: string, make: (bytes: Buffer) => Promise<Buffer>): Promise<Buffer> =>
    paths.has(`${path}${suffix}`) ? await readFile(join(folder, path + suffix)) : await make(plain);
  const isDense = dense.has(extname(path));
  const smaller = (bytes: Buffer): Buffer | undefined =>
    bytes.length < plain.length ? bytes : undefined;
  return {
    contentType: types[extname(path)] ?? "application/octet-stream",
    digest: hash("sha256", plain, "hex").slice(0, 20),
    // Vite names the files of this folder by their content.
    isImmutable: path.startsWith("assets/"),
    plain,
    ...(isDense ? {} : { brotli: smaller(await form(".br", toBrotli)) }),
    ...(isDense ? {} : { gzip: smaller(await form(".gz", toGzip)) }),
  };
}

const asyncBrotli = promisify(brotliCompress);
const asyncGzip = promisify(gzip);

/** Nearly as small as the best quality, in a tenth of its time. */
const brotliQuality = 9;

async function toBrotli(bytes: Buffer): Promise<Buffer> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  return await asyncBrotli(bytes, { params });
}

async function toGzip(bytes: Buffer): Promise<Buffer> {
  return await asyncGzip(bytes, { level: constants.Z_BEST_COMPRESSION });
}
