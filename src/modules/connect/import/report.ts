// What an import found, for a person who decides whether it is right: every kind with its requests,
// every field with its class, where that came from and how sure it is, and everything that is
// wrong.

import type { Binding, Operation } from "../binding.ts";
import type { Classified } from "../fields/classify.ts";
import type { Judgement } from "../fields/judgement.ts";
import { problemText } from "../document/problem.ts";
import type { Problem } from "../document/problem.ts";
import { secrecyText } from "./changes.ts";
import type { FieldChanges } from "./changes.ts";

export interface ReportedKind {
  readonly id: string;
  readonly name: { readonly kind: string };
  readonly binding: Binding;
  readonly classified: Classified;
  readonly notes: readonly string[];
  readonly changes?: FieldChanges;
}

export interface ReportInput {
  readonly title: string;
  readonly group: string;
  readonly source: string;
  readonly kinds: readonly ReportedKind[];
  readonly problems: readonly Problem[];
}

export function reportOf({ title, group, source, kinds, problems }: ReportInput): string {
  const count = `${kinds.length} ${kinds.length === 1 ? "kind" : "kinds"}`;
  const lines = [
    `# ${oneLine(title) || "A service"}`,
    "",
    `Imported from ${source}: ${count} in the group ${group}.`,
    "",
    "A class from `annotation` is stated in the document. A class from `difference` follows from",
    "the operations that have the field. A class from `example` or `name` is a guess. To correct",
    "one, change its `class` in the RestKind (or add it there with `from: override`) and import",
    "again: the import keeps your changes there. It writes the definition again.",
    "To show a field that is secret by its name, set `isSecret: false` in the same place.",
    "",
    ...kinds.flatMap(kindLines),
    "## Problems",
    "",
    ...(problems.length === 0
      ? ["None."]
      : problems.map((one) => `- ${oneLine(problemText(one))}`)),
    "",
  ];
  return lines.join("\n");
}

function kindLines({
  id,
  name,
  binding,
  classified,
  notes,
  changes,
}: ReportedKind): readonly string[] {
  const { identity, parent } = binding;
  const field = "field" in identity ? identity.field : undefined;
  const confidence =
    identity.confidence === undefined ? "" : `, confidence ${identity.confidence.toFixed(2)}`;
  const parentText = parent === undefined ? "none" : (parent.kind ?? `not managed, ${parent.path}`);
  return [
    `## ${name.kind} (${id})`,
    "",
    `- path: \`${binding.item}\``,
    `- identity: ${identity.kind}${field === undefined ? "" : `, \`${field}\``}${confidence}`,
    `- parent: ${parentText}`,
    ...Object.entries(binding.operations).map(([use, one]: [string, Operation]) =>
      operationLine(use, one),
    ),
    ...(binding.joins ?? []).map(({ name: join, path }) => `- joined as ${join}: \`${path}\``),
    ...notes.map((note) => `- note: ${oneLine(note)}`),
    ...(changes === undefined ? [] : changeLines(changes)),
    "",
    "| field | class | from | confidence | why |",
    "|---|---|---|---|---|",
    ...[...classified.judgements.values()].map(fieldLine),
    "",
  ];
}

function operationLine(use: string, { method, path, answer }: Operation): string {
  const where = path === undefined ? "" : ` \`${path}\``;
  const inside = answer === undefined ? "" : `, the object at \`${answer}\``;
  return `- ${use}: ${method}${where}${inside}`;
}

function changeLines({ added, removed, reclassified, secrecy }: FieldChanges): readonly string[] {
  return [
    ...added.map((path) => `- new: \`${path}\``),
    ...removed.map((path) => `- removed: \`${path}\``),
    ...reclassified.map(({ path, was, is }) => `- \`${path}\` was ${was}, is ${is}`),
    ...secrecy.map((change) => `- ${secrecyText(change)}`),
  ];
}

function fieldLine(judgement: Judgement): string {
  const { path, isSecret, secretFrom, isDefaulted, from, confidence, why } = judgement;
  const secret = secretFrom === "name" ? "secret by its name" : "secret";
  const more = [isSecret ? secret : "", isDefaulted ? "defaulted" : ""].filter((one) => one !== "");
  const what = [judgement.class, ...more].join(", ");
  const sure = from === undefined ? "" : confidence.toFixed(2);
  return `| \`${path}\` | ${what} | ${from ?? ""} | ${sure} | ${oneLine(why)} |`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
}
