/**
 * How well imports understand services that a person has annotated: identity, envelope, operations,
 * classes and secrets of a sample of kinds. The annotations are next to this file, the documents
 * are not part of the repository. docs/reference/connect-fields.md has the result.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { httpWith } from "../../src/adapters/http/client.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import type { Binding } from "../../src/modules/connect/binding.ts";
import { loadDocument } from "../../src/modules/connect/document/load.ts";
import { documentReader } from "../../src/modules/connect/document/read-document.ts";
import { qualityOf } from "../../src/modules/connect/fields/score.ts";
import type { Quality, Tally } from "../../src/modules/connect/fields/score.ts";
import { propose } from "../../src/modules/connect/import/propose.ts";
import type { ProposedKind } from "../../src/modules/connect/import/propose.ts";

export interface AnnotatedDocument {
  /** Repository, commit and file. */
  readonly source: string;
  readonly kinds: readonly AnnotatedKind[];
}

export interface AnnotatedKind {
  readonly item: string;
  /** "server /id", "client /name", or "client" for the name in the path. */
  readonly identity: string;
  readonly operations: readonly string[];
  /** Where the object is in the response to a read. */
  readonly envelope: string;
  /** Classes by pointer; fields that are unclear are left out. */
  readonly fields: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

export interface AnnotatedScore {
  readonly documents: number;
  readonly kinds: number;
  readonly identities: number;
  readonly envelopes: number;
  /** Kinds whose operations are exactly those of the annotation. */
  readonly operations: number;
  readonly fields: number;
  readonly rightFields: number;
  readonly readOnly: Quality;
  readonly createOnly: Quality;
  readonly secrets: Quality;
}

/** FOLDER/NAME/openapi.json or openapi.yml for each NAME.json of the annotations. */
export async function scoreAnnotated(folder: string, annotations: string): Promise<AnnotatedScore> {
  const found = newCounts();
  for (const file of readdirSync(annotations).toSorted()) {
    const name = file.replace(/\.json$/, "");
    const document = ["json", "yml", "yaml"]
      .map((ending) => join(folder, name, `openapi.${ending}`))
      .find((path) => existsSync(path));
    if (document === undefined) throw new Error(`${folder}/${name} has no openapi.json or .yml`);
    const text = readFileSync(join(annotations, file), "utf8");
    const { kinds } = JSON.parse(text) as AnnotatedDocument;
    found.documents += 1;
    const proposed = await kindsIn(document);
    for (const kind of kinds) {
      count(
        kind,
        proposed.find(({ binding }) => binding.item === kind.item),
        found,
      );
    }
  }
  const { readOnly, createOnly, secrets, ...rest } = found;
  return {
    ...rest,
    readOnly: qualityOf(readOnly),
    createOnly: qualityOf(createOnly),
    secrets: qualityOf(secrets),
  };
}

async function kindsIn(path: string): Promise<readonly ProposedKind[]> {
  const root = pathToFileURL(path).href;
  const documents = await loadDocument(root, documentReader(root, httpWith(systemTimers)));
  return propose(documents, { baseUrl: "https://service.example.com" }).kinds;
}

type OpenTally = { -readonly [K in keyof Tally]: number };
type Counts = {
  -readonly [K in Exclude<keyof AnnotatedScore, "readOnly" | "createOnly" | "secrets">]: number;
} & Record<"readOnly" | "createOnly" | "secrets", OpenTally>;

function newCounts(): Counts {
  const tally = (): OpenTally => ({ hits: 0, extra: 0, missed: 0 });
  return {
    documents: 0,
    kinds: 0,
    identities: 0,
    envelopes: 0,
    operations: 0,
    fields: 0,
    rightFields: 0,
    readOnly: tally(),
    createOnly: tally(),
    secrets: tally(),
  };
}

function count(kind: AnnotatedKind, found: ProposedKind | undefined, counts: Counts): void {
  counts.kinds += 1;
  if (found !== undefined) {
    const { operations } = found.binding;
    if (identityText(found.binding) === kind.identity) counts.identities += 1;
    if ((operations.read?.answer ?? "") === kind.envelope) counts.envelopes += 1;
    const names = Object.keys(operations).toSorted().join(" ");
    if (names === kind.operations.toSorted().join(" ")) counts.operations += 1;
  }
  for (const [path, truth] of Object.entries(kind.fields)) {
    const judgement = found?.classified.judgements.get(path);
    counts.fields += 1;
    if (judgement?.class === truth) counts.rightFields += 1;
    add(counts.readOnly, truth === "read-only", judgement?.class === "read-only");
    add(counts.createOnly, truth === "create-only", judgement?.class === "create-only");
    add(counts.secrets, kind.secrets.includes(path), judgement?.isSecret === true);
  }
}

function add(tally: OpenTally, isTrue: boolean, isFound: boolean): void {
  if (isTrue && isFound) tally.hits += 1;
  else if (isFound) tally.extra += 1;
  else if (isTrue) tally.missed += 1;
}

function identityText({ identity }: Binding): string {
  const field = "field" in identity ? identity.field : undefined;
  return field === undefined ? identity.kind : `${identity.kind} ${field}`;
}
