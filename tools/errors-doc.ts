// `npm run docs`: writes docs/reference/errors.md from the error catalogue, so that the page and
// the program cannot disagree. With --check it only says whether they do.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtInModules } from "../src/app/modules.ts";
import { catalogue } from "../src/kernel/errors.ts";
import { root } from "./stages.ts";

export const errorsPage = "docs/reference/errors.md";

const heading = `# Errors

Every operational error has one of these codes. Codes are public API: they are never renamed and
never reused. \`npm run docs\` generates the table from \`src/kernel/error-catalogue.ts\` and the
modules.

The column \`retry\` states how a program can react:

| retry | meaning |
|---|---|
| \`never\` | The same request fails again. |
| \`after_read\` | Read the current state, decide again, then write. |
| \`backoff\` | The same request may succeed later. |
| \`after_check\` | The request may have succeeded. Read the resource before you retry. |

| code | status | retry | meaning | what to do |
|---|---|---|---|---|
`;

export function renderErrorsPage(): string {
  const added = builtInModules.flatMap(({ errors = {} }) => Object.entries(errors));
  const rows = [...Object.entries(catalogue), ...added].map(
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
    console.error(`${errorsPage} does not match the catalogue: run \`npm run docs\``);
    process.exitCode = 1;
  }
}
