// A real server, a real service behind a proxy that can fail, and the questions that the tests of
// Connect ask about a resource. Nothing sleeps: a run is asked for and its end is waited for.
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { FaultProxy } from "../peers/fault-proxy.ts";
import { Resources as ReconciledResources, applyToServer, pathOf } from "../peers/resources.ts";
import type { Reconciled } from "../peers/resources.ts";
import type { Service } from "../peers/service.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint, SetpointOptions } from "../peers/setpoint.ts";
import { waitUntil } from "../peers/wait.ts";

export interface Rig extends AsyncDisposable {
  readonly server: Setpoint;
  readonly service: Service;
  /** Between the two. */
  readonly proxy: FaultProxy;
}

export async function startRig(
  startPeer: () => Promise<Service>,
  documents: (proxy: FaultProxy) => readonly JsonObject[] | Promise<readonly JsonObject[]>,
  options: SetpointOptions = {},
): Promise<Rig> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startPeer());
  const proxy = stack.use(await startFaultProxy({ target: () => service.url }));
  const server = stack.use(await startSetpoint(options));
  for (const document of await documents(proxy)) await applyDocument(server, document);
  const owned = stack.move();
  return {
    server,
    service,
    proxy,
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}

/** As `kubectl apply --server-side` does it; a RestKind is in force when this returns. */
export async function applyDocument(server: Setpoint, document: JsonObject): Promise<void> {
  await applyToServer(server, document);
  if (document["kind"] === "RestKind") await inForce(server, pathOf(document));
}

/** A kind is kept in its service a moment after somebody said how. */
async function inForce(server: Setpoint, path: string): Promise<void> {
  let last = "";
  const isAccepted = async (): Promise<boolean> => {
    const { body } = await server.ask(path);
    last = body.toString();
    const { status } = JSON.parse(last) as Managed;
    return status?.conditions?.some(({ reason }) => reason === "InForce") === true;
  };
  await waitUntil(`${path} to be in force`, isAccepted).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${last}`);
  });
}

/** A resource of a managed kind, as far as the tests look at it. */
export interface Managed extends Reconciled {
  readonly connect?: JsonObject;
  readonly status?: Reconciled["status"] & {
    readonly observed?: JsonObject;
    readonly joined?: JsonObject;
    readonly connect?: Bookkeeping;
  };
}

export interface Bookkeeping {
  readonly id?: string;
  readonly path?: string;
  readonly lastApplied?: JsonObject;
  readonly knownDifferences?: readonly JsonObject[];
  readonly creating?: JsonObject;
  readonly operation?: JsonObject;
  readonly lastWrite?: JsonObject;
  readonly drift?: readonly JsonObject[];
}

/** The resources of one kind that is kept in a service. */
export class Resources extends ReconciledResources<Managed> {
  override async create(name: string, spec: JsonObject, connect?: JsonObject): Promise<void> {
    await super.create(name, spec, connect === undefined ? {} : { connect });
  }
}

/** The bodies of writes, as JSON. */
export function bodiesOf(seen: readonly { readonly body: string }[]): readonly Json[] {
  return seen.map(({ body }) => JSON.parse(body) as Json);
}
