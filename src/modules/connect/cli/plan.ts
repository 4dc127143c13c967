// `setpoint plan KIND/NAME`, or `-f FILE` for what is not stored yet: which request the next run
// would send to the service, which fields it changes, and why. Nothing is changed. Fields that the
// kind does not have are refused, as kubectl refuses them.
import type { CommandCall, RunCommand, ServerClient } from "../../../contract/command.ts";
import { SetpointError, isSetpointError } from "../../../kernel/errors.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { textAt } from "../../../kernel/json-read.ts";
import { planLines } from "./plan-lines.ts";

export const runPlan: RunCommand = async (call) => {
  const { filename } = call.options as { readonly filename?: string };
  const documents = filename === undefined ? [] : call.documents(filename);
  const client = call.server();
  if (documents.length > 1) return await planAll(call, client, documents);
  const { kind, plan } = await planOf(call, client, documents[0]);
  if (plan === undefined) throw noPlan(kind);
  show(call, plan);
};

/** One after the other. A document that cannot be planned does not stop the others. */
async function planAll(
  call: CommandCall,
  client: ServerClient,
  documents: readonly JsonObject[],
): Promise<void> {
  const items: Json[] = [];
  for (const document of documents) {
    const name = `${textAt(document, "kind")}/${textAt(document, "metadata", "name")}`;
    try {
      const { plan } = await planOf(call, client, document);
      if (plan !== undefined) items.push(plan);
      if (call.isJson) continue;
      const lines =
        plan === undefined ? ["no plan: the kind is not managed by Connect"] : planLines(plan);
      for (const line of [name, ...lines.map((each) => `  ${each}`)]) call.print(line);
    } catch (error) {
      if (!isSetpointError(error)) throw error;
      call.report(error, name);
    }
  }
  if (call.isJson) show(call, { kind: "List", apiVersion: "v1", items });
}

function show(call: CommandCall, plan: Json): void {
  if (call.isJson) call.printText(JSON.stringify(plan, undefined, 2));
  else for (const line of planLines(plan)) call.print(line);
}

interface Planned {
  readonly kind: string;
  /** Undefined for what is not kept in a service. */
  readonly plan: Json | undefined;
}

async function planOf(
  call: CommandCall,
  client: ServerClient,
  given: JsonObject | undefined,
): Promise<Planned> {
  const named = given === undefined ? call.args : namesOf(given);
  const namespace = call.namespace ?? (textAt(given, "metadata", "namespace") || undefined);
  const resource = await client.findResource(named, namespace);
  const path = `${resource.path}/plan`;
  const ask = async (): Promise<Json> =>
    given === undefined
      ? await client.get(path)
      : await client.post(`${path}?fieldValidation=Strict`, given);
  try {
    return { kind: resource.kind, plan: await client.askAbout(resource, ask) };
  } catch (error) {
    if (isUnserved(error)) return { kind: resource.kind, plan: undefined };
    throw given === undefined ? error : asFile(error, resource.kind);
  }
}

/** The path is not served: resources of the kind are not kept in a service. */
export function isUnserved(error: unknown): boolean {
  return isSetpointError(error, "resource.not_found") && !error.message.includes('"');
}

export function noPlan(kind: string): SetpointError {
  const message = `there is no plan: resources of the kind ${kind} are not managed by Connect`;
  return new SetpointError("resource.not_found", message, {
    suggestion: "list the managed kinds with kubectl get restkinds",
  });
}

/** A file is corrected by its fields, whatever else may be wrong with requests. */
function asFile(error: unknown, kind: string): unknown {
  const isWrong =
    isSetpointError(error, "request.invalid") || isSetpointError(error, "resource.invalid");
  if (!isWrong || error.suggestion !== undefined) return error;
  const suggestion = `correct the file; kubectl explain ${kind.toLowerCase()} lists its fields`;
  const { details, cause } = error;
  return new SetpointError(error.code, error.message, { details, cause, suggestion });
}

/** As the server's discovery names it: in the group and the version of the document. */
function namesOf(document: JsonObject): readonly string[] {
  const [kind, name] = [textAt(document, "kind"), textAt(document, "metadata", "name")];
  if (kind === "" || name === "") {
    const missing = kind === "" ? "a kind" : "a name";
    throw new SetpointError("config.invalid", `a resource of the file does not have ${missing}`, {
      suggestion: "write resources as for kubectl apply",
    });
  }
  const [group = "", version] = textAt(document, "apiVersion").split("/");
  const behind = version === undefined ? [] : [version, group];
  return [[kind.toLowerCase(), ...behind].join("."), name];
}
