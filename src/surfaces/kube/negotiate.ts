// Which form of an answer a client takes: plain objects, Tables or metadata only, in JSON, YAML or
// (built-in kinds) protobuf. Of the clauses of the Accept header the one with the best quality that
// can be met wins. Parsed headers are kept, because clients send the same few again and again.

import { SetpointError } from "../../kernel/errors.ts";

export type Encoding = "json" | "yaml" | "protobuf";

export interface Form {
  readonly encoding: Encoding;
  readonly as: "object" | "table" | "metadata";
  /** The version of meta.k8s.io that a Table or metadata is written in. */
  readonly metaVersion: "v1" | "v1beta1";
  readonly isPretty: boolean;
  /** Streams of watch events have their own type in protobuf. */
  readonly isStream: boolean;
}

export interface FormLimits {
  readonly hasProtobuf: boolean;
  readonly hasTable: boolean;
  /** Whether many objects are asked for, and how the server calls what it has. */
  readonly collection?: { readonly isList: boolean; readonly goType: string };
}

export interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const jsonForm: Form = {
  encoding: "json",
  as: "object",
  metaVersion: "v1",
  isPretty: false,
  isStream: false,
};

/** A map, because clients choose what is looked up: every object has a constructor. */
const encodings: ReadonlyMap<string, Encoding> = new Map([
  ["application/json", "json"],
  ["application/yaml", "yaml"],
  ["application/vnd.kubernetes.protobuf", "protobuf"],
  ["*/*", "json"],
  ["*", "json"],
  ["application/*", "json"],
]);

const maxParsed = 500;
const parsed = new Map<string, readonly Clause[]>();

export function negotiate(accept: string | undefined, limits: FormLimits): Form {
  if (accept === undefined || accept === "" || accept === "application/json") return jsonForm;
  for (const clause of acceptClauses(accept)) {
    const form = formOf(clause, limits);
    if (form !== undefined) return form;
  }
  throw notAcceptable(accept, limits);
}

const offered = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const offeredStreams = [
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];

/** Built-in kinds are refused by another part of kube-apiserver, in other words. */
function notAcceptable(accept: string, { hasProtobuf, collection }: FormLimits): SetpointError {
  const isKnown = acceptClauses(accept).some(({ type }) => encodings.has(type));
  if (!hasProtobuf || isKnown) {
    const message = `only the following media types are accepted: ${offered.join(", ")}`;
    return new SetpointError("request.not_acceptable", message);
  }
  const all = collection?.isList === true ? [...offered, ...offeredStreams] : offered;
  const message = `406: Not Acceptable\n\nAvailable representations: ${all.join(", ")}`;
  return new SetpointError("request.not_acceptable", message, { details: { name: "" } });
}

/** The form of an error: what is asked for as far as it can be, and else JSON. */
export function errorForm(accept: string | undefined): Form {
  if (accept === undefined || accept === "" || accept === "application/json") return jsonForm;
  for (const { type } of acceptClauses(accept)) {
    const encoding = encodings.get(type);
    if (encoding === "yaml") return { ...jsonForm, encoding };
    if (encoding !== undefined) return jsonForm;
  }
  return jsonForm;
}

export function contentType(form: Form): string {
  if (form.encoding === "yaml") return "application/yaml";
  const suffix = form.isStream ? ";stream=watch" : "";
  if (form.encoding === "protobuf") return `application/vnd.kubernetes.protobuf${suffix}`;
  return "application/json";
}

export function acceptClauses(accept: string): readonly Clause[] {
  const known = parsed.get(accept);
  if (known !== undefined) return known;
  const clauses = accept
    .split(",")
    .map(clauseOf)
    .sort((left, right) => right.quality - left.quality || wildness(left) - wildness(right));
  if (parsed.size >= maxParsed) parsed.clear();
  parsed.set(accept, clauses);
  return clauses;
}

function clauseOf(text: string): Clause {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = rest.map((part): [string, string] => {
    const mark = part.indexOf("=");
    return mark < 0 ? [part, ""] : [part.slice(0, mark).trim(), part.slice(mark + 1).trim()];
  });
  const known = new Map(parameters);
  const quality = Number(known.get("q") ?? "1");
  return {
    type: type.toLowerCase(),
    parameters: known,
    quality: Number.isFinite(quality) ? quality : 1,
  };
}

function wildness({ type }: Clause): number {
  if (type.startsWith("*")) return 2;
  return type.endsWith("/*") ? 1 : 0;
}

function formOf({ type, parameters }: Clause, limits: FormLimits): Form | undefined {
  const encoding = encodings.get(type);
  if (encoding === undefined) return undefined;
  if (encoding === "protobuf" && !limits.hasProtobuf) return undefined;
  const as = parameters.get("as");
  const version = parameters.get("v");
  const isStream = parameters.get("stream") === "watch";
  const isPretty = parameters.get("pretty") === "1";
  const plain: Form = { ...jsonForm, encoding, isStream, isPretty };
  if (as === undefined) return plain;
  const isMeta = parameters.get("g") === "meta.k8s.io";
  if (!isMeta || (version !== "v1" && version !== "v1beta1")) return undefined;
  if (as === "Table" && limits.hasTable && encoding !== "protobuf") {
    return { ...plain, as: "table", metaVersion: version };
  }
  const isMetadata = as === "PartialObjectMetadata" || as === "PartialObjectMetadataList";
  // Metadata is a built-in type and has a protobuf form of its own, which we do not offer.
  if (isMetadata && encoding !== "protobuf") {
    checkCardinality(as, limits);
    return { ...plain, as: "metadata", metaVersion: version };
  }
  return undefined;
}

/** A watch sends objects one by one, and takes either name. */
function checkCardinality(as: string, { collection }: FormLimits): void {
  if (collection === undefined) return;
  const { isList, goType } = collection;
  if (isList === (as === "PartialObjectMetadataList")) return;
  const what = isList ? "a list" : "not a list";
  const message = `you requested ${as}, but the requested object is ${what} (${goType})`;
  throw new SetpointError("request.not_acceptable", message);
}
