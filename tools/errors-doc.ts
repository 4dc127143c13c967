// `npm run docs`: writes docs/reference/errors.md from the error catalogue, so that the page and
// the program cannot disagree. With --check it only says whether they do.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "../src/kernel/errors.ts";
import { root } from "./stages.ts";

export const errorsPage = "docs/reference/errors.md";

const heading = `# Errors

Every operational error carries one of these codes. Codes are public API: never renamed, never
reused. The table is written from \`src/kernel/error-catalogue.ts\`.

\`retry\` says what a program may do: \`never\` (the same request fails again), \`after_read\`
(read, decide again, then write), \`backoff\` (the same request may succeed later), \`after_check\`
(it may already have succeeded: read before retrying).

| code | status | retry | meaning | what to do |
|---|---|---|---|---|
`;

export function renderErrorsPage(): string {
  const rows = Object.entries(catalogue).map(
    ([code, { status, retry, summary, action }]) =>
      `| \`${code}\` | ${status} | ${retry} | ${summary} | ${action} |\n`,
  );
  return heading + rows.join("");
}

if (import.meta.main) {
  const path = join(root, errorsPage);
  if (!process.argv.includes("--check")) {
    writeFileSync(path, renderErrorsPage());
  } else if (readFileSync(path, "utf8") !== renderErrorsPage()) {
    console.error(`${errorsPage} is not what the catalogue says: run \`npm run docs\``);
    process.exitCode = 1;
  }
}
