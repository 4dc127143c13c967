// `setpoint plan KIND/NAME`, or `-f FILE` for what is not stored yet: which request the next run
// would send to the service, which fields it changes, and why. Nothing is changed. Fields that the
// kind does not have are refused, as kubectl refuses them.
import type { Command } from "commander";
import type { ApiClient } from "../../app/client/api-client.ts";
import { askAbout, findResource } from "../../app/client/resource-argument.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import { textAt } from "../../kernel/json-read.ts";
import { addClientOptions, clientFor } from "../client-options.ts";
import type { ClientFlags } from "../client-options.ts";
import { documentsIn } from "../document-file.ts";
import { explain } from "../explain-error.ts";
import { plainText } from "../plain-text.ts";
import { planLines } from "../plan-lines.ts";

interface Flags extends ClientFlags {
  readonly filename?: string;
}

export function addPlan(program: Command): void {
  addClientOptions(program.command("plan [resource...]"))
    .description("tell which request would be sent to a service for a resource, and why")
    .usage("KIND/NAME | -f FILE [options]")
    .option("-f, --filename <file>", "resources as they are going to be")
    .action(async (words: readonly string[], flags: Flags) => {
      const documents = flags.filename === undefined ? [] : documentsIn(flags.filename);
      const client = clientFor(flags);
      if (documents.length > 1) return await planAll(client, documents, flags);
      const { kind, plan } = await planOf(client, words, documents[0], flags);
      if (plan === undefined) throw noPlan(kind);
      print(plan, flags);
    });
}

/** One after the other; what cannot be planned does not keep the others from being told. */
async function planAll(
  client: ApiClient,
  documents: readonly JsonObject[],
  flags: Flags,
): Promise<void> {
  const items: Json[] = [];
  for (const document of documents) {
    const name = `${textAt(document, "kind")}/${textAt(document, "metadata", "name")}`;
    try {
      const { plan } = await planOf(client, [], document, flags);
      if (plan !== undefined) items.push(plan);
      if (flags.output === "json") continue;
      const lines = plan === undefined ? ["nothing: not kept in a service"] : planLines(plan);
      for (const line of [plainText(name), ...lines.map((each) => `  ${each}`)]) console.log(line);
    } catch (error) {
      if (!isSetpointError(error)) throw error;
      process.stderr.write(plainText(`${name}: `) + explain(error));
      process.exitCode = 1;
    }
  }
  if (flags.output === "json") print({ kind: "List", apiVersion: "v1", items }, flags);
}

function print(plan: Json, { output }: Flags): void {
  if (output === "json") console.log(JSON.stringify(plan, undefined, 2));
  else for (const line of planLines(plan)) console.log(line);
}

interface Planned {
  readonly kind: string;
  /** Undefined for what is not kept in a service. */
  readonly plan: Json | undefined;
}

async function planOf(
  client: ApiClient,
  words: readonly string[],
  given: JsonObject | undefined,
  flags: Flags,
): Promise<Planned> {
  const named = given === undefined ? words : namesOf(given);
  const namespace = flags.namespace ?? (textAt(given, "metadata", "namespace") || undefined);
  const resource = await findResource(client, named, namespace);
  const path = `${resource.path}/plan`;
  const ask = async (): Promise<Json> =>
    given === undefined
      ? await client.get(path)
      : await client.post(`${path}?fieldValidation=Strict`, given);
  try {
    return { kind: resource.kind, plan: await askAbout(resource, ask) };
  } catch (error) {
    if (isUnserved(error)) return { kind: resource.kind, plan: undefined };
    throw given === undefined ? error : asFile(error, resource.kind);
  }
}

/** A path that nobody serves: the kind is none that is kept in a service. */
export function isUnserved(error: unknown): boolean {
  return isSetpointError(error, "resource.not_found") && !error.message.includes('"');
}

export function noPlan(kind: string): SetpointError {
  const message = `resources of the kind ${kind} are not kept in a service, so there is no plan`;
  return new SetpointError("resource.not_found", message, {
    suggestion: "see kubectl get restkinds for the kinds that are",
  });
}

/** A file is corrected by its fields, whatever else may be wrong with requests. */
function asFile(error: unknown, kind: string): unknown {
  const isWrong =
    isSetpointError(error, "request.invalid") || isSetpointError(error, "resource.invalid");
  if (!isWrong || error.suggestion !== undefined) return error;
  const suggestion = `correct the file; kubectl explain ${kind.toLowerCase()} tells its fields`;
  const { details, cause } = error;
  return new SetpointError(error.code, error.message, { details, cause, suggestion });
}

/** As the server's discovery names it: in the group and the version of the document. */
function namesOf(document: JsonObject): readonly string[] {
  const [kind, name] = [textAt(document, "kind"), textAt(document, "metadata", "name")];
  if (kind === "" || name === "") {
    const missing = kind === "" ? "a kind" : "a name";
    throw new SetpointError("config.invalid", `a resource of the file does not have ${missing}`, {
      suggestion: "write resources as kubectl apply takes them",
    });
  }
  const [group = "", version] = textAt(document, "apiVersion").split("/");
  const behind = version === undefined ? [] : [version, group];
  return [[kind.toLowerCase(), ...behind].join("."), name];
}
