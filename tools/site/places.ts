import { join } from "node:path";

export const root = join(import.meta.dirname, "..", "..");

/** Their Markdown describes code for readers of the code, and is not on the site. */
export const sourceFolders = ["src", "tests", "tools", "console", "bench", "deploy"];

/** The copies of the pages, at the same paths as in the repository. */
export const pages = join(import.meta.dirname, ".cache", "pages");

export const siteFolder = join(root, ".cache", "site");
