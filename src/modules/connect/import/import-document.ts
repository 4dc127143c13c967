/**
 * `setpoint connect import`: reads a document, proposes kinds and puts them into files or on a
 * server. What persons changed since the last import is read from there first, and kept.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { OpenHttp } from "../../../adapters/http/port.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import { isJsonObject } from "../../../kernel/json.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { formatYaml, parseYaml } from "../../../kernel/yaml.ts";
import type { FieldEntry } from "../binding.ts";
import { joinDocuments } from "../document/join.ts";
import { loadDocument } from "../document/load.ts";
import type { ReadFile, Documents } from "../document/load.ts";
import type { Problem } from "../document/problem.ts";
import { fieldChanges, hasChanges } from "./changes.ts";
import type { FieldChanges, WrittenKind } from "./changes.ts";
import { basePathOf } from "./operations.ts";
import { propose } from "./propose.ts";
import type { Proposal, ProposeOptions, ProposedKind } from "./propose.ts";
import { lostEdits } from "./lost-edits.ts";
import { overridesIn, restKindOf } from "./reimport.ts";
import { reportOf } from "./report.ts";
import type { ServerClient } from "../../../contract/command.ts";
import { ConnectionProblem, baseAddress } from "../http/connection.ts";
import { documentReader } from "../document/read-document.ts";

export interface ImportInput extends Omit<ProposeOptions, "overrides" | "useMarks"> {
  /** A file, a folder of files, or an address. */
  readonly document: string;
  /** Others that describe the same service. */
  readonly more?: readonly string[];
  readonly allowed: readonly string[];
  /** For documents that a server has. */
  readonly openHttp: OpenHttp;
  /** Sent to the server of the documents, which is one if there are headers. */
  readonly documentHeaders?: Readonly<Record<string, string>>;
  /** Where what was imported before is, and where it goes. */
  readonly target: ImportTarget;
}

export type ImportTarget =
  | { readonly kind: "none" }
  | { readonly kind: "folder"; readonly folder: string }
  | { readonly kind: "server"; readonly client: ImportClient };

export type ImportClient = Pick<ServerClient, "get" | "patch">;

export interface ImportedKind extends WrittenKind {
  readonly kind: ProposedKind;
  /** Undefined for what is imported for the first time. */
  readonly changes: FieldChanges | undefined;
}

export interface Imported {
  readonly proposal: Proposal;
  readonly kinds: readonly ImportedKind[];
  readonly problems: readonly Problem[];
  readonly report: string;
  /** Files or resources that were written. */
  readonly written: readonly string[];
}

export async function importDocument(input: ImportInput): Promise<Imported> {
  const { document, more = [], target } = input;
  checkBase(input.baseUrl);
  const documents = await loadAll([document, ...more], input);
  const first = propose(documents, input);
  checkOnly(first);
  const previous = await previousKinds(first, target);
  const overrides = overridesBy(previous);
  const proposal = overrides.size === 0 ? first : propose(documents, { ...input, overrides });
  const kinds = proposal.kinds.map((kind) => importedKind(kind, previous.get(kind.id)));
  const lost = kinds.flatMap(({ kind: { id }, definition }) =>
    lostEdits(placeOf(id, target), previous.get(id)?.definition ?? {}, definition),
  );
  const problems = [...proposal.problems, ...(await keptConnection(proposal, target)), ...lost];
  const report = reportOf({
    ...proposal,
    problems,
    source: [document, ...more].join(", "),
    kinds: kinds.map(({ kind, changes }) => (changes === undefined ? kind : { ...kind, changes })),
  });
  const written = await write({ proposal, kinds, report }, target);
  return { proposal, kinds, problems, report, written };
}

function checkBase(baseUrl: string): void {
  try {
    baseAddress(baseUrl);
  } catch (error) {
    if (!(error instanceof ConnectionProblem)) throw error;
    // The value may hold a password, which is the mistake.
    throw new SetpointError("config.invalid", `--base-url: ${error.message}`, {
      suggestion: "write https://HOST/PREFIX, http://HOST:PORT or unix:/path/of/socket",
    });
  }
}

function checkOnly({ missing, names }: Proposal): void {
  const [first] = missing;
  if (first === undefined) return;
  const all = names.toSorted((a, b) => (a < b ? -1 : 1));
  const more = all.length > shownNames ? `, and ${all.length - shownNames} more` : "";
  throw new SetpointError("config.invalid", `--only: the document has no kind ${first}`, {
    suggestion: `it has ${all.slice(0, shownNames).join(", ")}${more}`,
  });
}

const shownNames = 20;

/** A Connection that is there stays as it is, which is worth a word when it leads elsewhere. */
async function keptConnection(
  { connection }: Proposal,
  target: ImportTarget,
): Promise<readonly Problem[]> {
  const name = textAt(connection, "metadata", "name");
  const place =
    target.kind === "folder" ? join(target.folder, "connection.yaml") : `Connection/${name}`;
  const there =
    target.kind === "folder"
      ? yamlIn(place)
      : target.kind === "server"
        ? await stored(target.client, `${connectionPath}/${name}`)
        : undefined;
  const old = textAt(there, "spec", "baseUrl");
  const given = textAt(connection, "spec", "baseUrl");
  if (old === "" || old === given) return [];
  const message = `already has the base URL ${old}, which is not changed: to use ${given}, edit it`;
  return [{ severity: "warning", file: place, pointer: "/spec/baseUrl", message }];
}

function yamlIn(path: string): JsonObject | undefined {
  if (!existsSync(path)) return undefined;
  const { value } = parseYaml(readFileSync(path, "utf8"));
  return isJsonObject(value) ? value : undefined;
}

const mostDocuments = 200;

async function loadAll(
  given: readonly string[],
  input: Pick<ImportInput, "allowed" | "openHttp" | "documentHeaders">,
): Promise<Documents> {
  const { allowed, openHttp, documentHeaders = {} } = input;
  const loaded: Documents[] = [];
  const roots = given.flatMap(rootsIn);
  checkOrigins(roots, documentHeaders);
  if (roots.length > mostDocuments) {
    const message = `found ${roots.length} documents in ${given.join(", ")}`;
    throw new SetpointError("config.invalid", message, {
      suggestion: `import at most ${mostDocuments} documents at a time`,
    });
  }
  for (const { root, isCertain } of roots) {
    try {
      const read = documentReader(root, openHttp, documentHeaders);
      loaded.push(await loadDocument(root, isCertain ? told(root, read) : read, { allowed }));
    } catch (error) {
      // A folder also has files that the others refer to, and whatever else.
      if (isCertain || !isSetpointError(error)) throw error;
    }
  }
  if (loaded.length > 0) return joinDocuments(loaded, basePathOf);
  throw new SetpointError("config.invalid", `no document found in ${given.join(", ")}`);
}

/** That the document itself cannot be read is a mistake in the command, and told as one. */
function told(root: string, read: ReadFile): ReadFile {
  return async (file) => {
    try {
      return await read(file);
    } catch (error) {
      if (file !== root) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new SetpointError("config.invalid", `${root} cannot be read: ${why}`, {
        cause: error,
        suggestion: / status 40[13]$/.test(why)
          ? "give credentials with --document-token, --document-user or --document-header"
          : "check the URL of the document, and that its server is running",
      });
    }
  };
}

/** Credentials are for one server. */
function checkOrigins(
  roots: readonly GivenRoot[],
  headers: Readonly<Record<string, string>>,
): void {
  if (Object.keys(headers).length === 0) return;
  const origins = new Set(roots.map(({ root }) => new URL(root).origin));
  const [only] = origins;
  if (origins.size === 1 && only !== "null") return;
  const message = "credentials for documents need documents that one server has";
  throw new SetpointError("config.invalid", message, {
    suggestion: "import the documents of each server separately, or download them first",
  });
}

interface GivenRoot {
  readonly root: string;
  /** It was named, and not found in a folder. */
  readonly isCertain: boolean;
}

function rootsIn(document: string): readonly GivenRoot[] {
  const isFolder = !/^https?:\/\//i.test(document) && statSync(document, quiet)?.isDirectory();
  if (isFolder !== true) return [{ root: addressOf(document), isCertain: true }];
  return readdirSync(document)
    .filter((name) => /\.(?:json|ya?ml)$/i.test(name))
    .toSorted()
    .map((name) => ({ root: addressOf(join(document, name)), isCertain: false }));
}

const quiet = { throwIfNoEntry: false } as const;

function addressOf(document: string): string {
  if (/^https?:\/\//i.test(document)) return addressWithoutUser(new URL(document));
  const path = resolve(document);
  if (existsSync(path)) return pathToFileURL(path).href;
  throw new SetpointError("config.invalid", `the file ${document} does not exist`);
}

/** The URL of a document is printed and written into the report. */
function addressWithoutUser(url: URL): string {
  if (url.username === "" && url.password === "") return url.href;
  throw new SetpointError("config.invalid", "the URL of a document must not have credentials", {
    suggestion: "give them with --document-user USER:PASSWORD, or --document-user @FILE",
  });
}

function importedKind(kind: ProposedKind, previous: WrittenKind | undefined): ImportedKind {
  const restKind = restKindOf(kind.id, kind.binding, previous?.restKind);
  const written: WrittenKind = { definition: kind.definition, restKind };
  const changes = previous === undefined ? undefined : fieldChanges(previous, written);
  return {
    ...written,
    kind,
    changes: changes !== undefined && hasChanges(changes) ? changes : undefined,
  };
}

function overridesBy(
  previous: ReadonlyMap<string, WrittenKind>,
): ReadonlyMap<string, readonly FieldEntry[]> {
  const found = new Map<string, readonly FieldEntry[]>();
  for (const [id, { restKind }] of previous) {
    const entries = overridesIn(restKind);
    if (entries.length > 0) found.set(id, entries);
  }
  return found;
}

const restKindPath = "/apis/connect.setpoint.dev/v1/restkinds";
const definitionPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const connectionPath = "/apis/connect.setpoint.dev/v1/connections";

async function previousKinds(
  { kinds }: Proposal,
  target: ImportTarget,
): Promise<ReadonlyMap<string, WrittenKind>> {
  const found = new Map<string, WrittenKind>();
  for (const { id } of kinds) {
    const written =
      target.kind === "folder"
        ? inFile(join(target.folder, `${id}.yaml`))
        : target.kind === "server"
          ? await onServer(id, target.client)
          : undefined;
    if (written !== undefined) found.set(id, written);
  }
  return found;
}

function placeOf(id: string, target: ImportTarget): string {
  if (target.kind === "folder") return join(target.folder, `${id}.yaml`);
  return `CustomResourceDefinition/${id}`;
}

function inFile(path: string): WrittenKind | undefined {
  if (!existsSync(path)) return undefined;
  const parts = readFileSync(path, "utf8").split(/^---\s*$/m);
  const documents = parts.flatMap((part) => {
    if (part.trim() === "") return [];
    const { value } = parseYaml(part);
    return isJsonObject(value) ? [value] : [];
  });
  const restKind = documents.find((one) => textAt(one, "kind") === "RestKind");
  if (restKind === undefined) return undefined;
  const definition = documents.find((one) => textAt(one, "kind") === "CustomResourceDefinition");
  return { restKind, definition: definition ?? {} };
}

async function onServer(id: string, client: ImportClient): Promise<WrittenKind | undefined> {
  const restKind = await stored(client, `${restKindPath}/${id}`);
  if (restKind === undefined) return undefined;
  return { restKind, definition: (await stored(client, `${definitionPath}/${id}`)) ?? {} };
}

async function stored(client: ImportClient, path: string): Promise<JsonObject | undefined> {
  try {
    const value = await client.get(path);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (isSetpointError(error, "resource.not_found")) return undefined;
    throw error;
  }
}

interface ToWrite {
  readonly proposal: Proposal;
  readonly kinds: readonly ImportedKind[];
  readonly report: string;
}

async function write(what: ToWrite, target: ImportTarget): Promise<readonly string[]> {
  if (target.kind === "folder") return writeFiles(what, target.folder);
  return target.kind === "server" ? await applyAll(what, target.client) : [];
}

function writeFiles({ proposal, kinds, report }: ToWrite, folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const written: string[] = [];
  const put = (name: string, text: string): void => {
    const path = join(folder, name);
    writeFileSync(path, text);
    written.push(path);
  };
  // Where the service is and how it is asked is a person's from the first time on.
  if (!existsSync(join(folder, "connection.yaml"))) {
    put("connection.yaml", formatYaml(proposal.connection));
  }
  for (const { kind, definition, restKind } of kinds) {
    put(`${kind.id}.yaml`, `${formatYaml(definition)}---\n${formatYaml(restKind)}`);
  }
  put("report.md", report);
  return written;
}

async function applyAll(
  { proposal, kinds }: ToWrite,
  client: ImportClient,
): Promise<readonly string[]> {
  const written: string[] = [];
  const apply = async (path: string, body: JsonObject): Promise<void> => {
    const query = "fieldManager=setpoint-connect&force=true&fieldValidation=Strict";
    await client.patch(`${path}?${query}`, body, "application/apply-patch+yaml");
    written.push(`${textAt(body, "kind")}/${textAt(body, "metadata", "name")}`);
  };
  const connection = `${connectionPath}/${textAt(proposal.connection, "metadata", "name")}`;
  const isThere = (await stored(client, connection)) !== undefined;
  if (!isThere) await apply(connection, proposal.connection);
  for (const { kind, definition, restKind } of kinds) {
    await apply(`${definitionPath}/${kind.id}`, definition);
    await apply(`${restKindPath}/${kind.id}`, restKind);
  }
  return written;
}
