// `npm run docs`: writes docs/reference/errors.md from the error catalogue, so that the page and
// the program cannot disagree. With --check it only says whether they do.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtInModules } from "../src/app/modules.ts";
import { catalogue } from "../src/kernel/errors.ts";
import type { FieldErrorKind } from "../src/kernel/field-error.ts";
import { root } from "./stages.ts";

export const errorsPage = "docs/reference/errors.md";

const fieldErrorKinds: Readonly<Record<FieldErrorKind, string>> = {
  required: "The field is missing.",
  invalid: "The value breaks a rule that the detail names.",
  type: "The value has the wrong type or format.",
  unsupported: "The value is not one of the supported values.",
  duplicate: "The value is in the list more than once.",
  forbidden: "The field must not be set or changed in this way.",
  immutable: "The field cannot be changed after creation.",
  "too-long": "The value is too long.",
  "too-many": "The list or map has too many items.",
  unknown: "The kind does not declare the field.",
  "not-found": "The field refers to something that does not exist.",
  internal: "The field could not be checked.",
};

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

## Field errors

An error about the content of a document (\`resource.invalid\`, and \`request.invalid\` of the REST
API) lists what is wrong with each field. A Kubernetes Status has a cause for each in its
\`details\`, the Resource Manager an entry of \`details\`, and a REST problem an entry of \`errors\`
with \`field\`, \`kind\` and \`detail\`.

| kind | meaning |
|---|---|
${Object.entries(fieldErrorKinds)
  .map(([kind, meaning]) => `| \`${kind}\` | ${meaning} |\n`)
  .join("")}
No error quotes the content of a Secret, or the value of a field with the rule \`secret\` or
\`write-only\`: it shows \`[hidden]\`. This holds for responses, audit records, events and the log.
Texts of webhooks and policies are searched for such values; a value that the author has changed is
not found.

## Codes

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
