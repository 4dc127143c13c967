// A real server for the tests of executors, with helpers for the resources of the module.
import { startFaultProxy } from "../peers/fault-proxy.ts";
import type { FaultProxy } from "../peers/fault-proxy.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { Resources, applyToServer } from "../peers/resources.ts";
import type { Reconciled } from "../peers/resources.ts";
import { startSetpoint } from "../peers/setpoint.ts";
import type { Setpoint, SetpointOptions } from "../peers/setpoint.ts";

export const apiVersion = "executors.setpoint.dev/v1";
export const checkDrift = "environments.setpoint.dev/check-drift";
export const reconcileDrift = "environments.setpoint.dev/reconcile-drift";

export interface Target extends Reconciled {
  readonly status?: Reconciled["status"] & {
    readonly outputs?: JsonObject;
    readonly secretOutputs?: { readonly name?: string };
    readonly drift?: {
      readonly state?: string;
      readonly checkedAt?: string;
      readonly items?: readonly { path: string; kind: string; message: string }[];
    };
    readonly handled?: { readonly checkDrift?: string; readonly reconcileDrift?: string };
    readonly [field: string]: unknown;
  };
}

export interface ExecutorRig extends AsyncDisposable {
  readonly server: Setpoint;
  /** In front of the external system. */
  readonly proxy: FaultProxy;
  of(kind: string, plural?: string, namespace?: string): Resources<Target>;
  /** Stores a Secret in the namespace `default`. */
  secret(name: string, data: Readonly<Record<string, string>>): Promise<void>;
}

export async function startExecutorRig(
  target: () => string,
  options: SetpointOptions = {},
): Promise<ExecutorRig> {
  await using stack = new AsyncDisposableStack();
  const proxy = stack.use(await startFaultProxy({ target }));
  const server = stack.use(await startSetpoint(options));
  const owned = stack.move();
  return {
    server,
    proxy,
    of: (kind, plural, namespace = "default") =>
      new Resources<Target>(() => server, {
        apiVersion,
        kind,
        namespace,
        ...(plural === undefined ? {} : { plural }),
      }),
    secret: async (name, stringData) => {
      const metadata = { name, namespace: "default" };
      await applyToServer(server, { apiVersion: "v1", kind: "Secret", metadata, stringData });
    },
    [Symbol.asyncDispose]: async () => await owned.disposeAsync(),
  };
}

let asked = 0;

/** Requests a check of drift and waits for its end. */
export async function checkedDrift(of: Resources<Target>, name: string): Promise<Target> {
  const token = `check-${++asked}`;
  await of.patch(name, { metadata: { annotations: { [checkDrift]: token } } });
  return await of.until(name, "checked", ({ status }) => status?.handled?.checkDrift === token);
}

/** Requests the correction of drift and waits for its end. */
export async function correctedDrift(of: Resources<Target>, name: string): Promise<Target> {
  const token = `correct-${++asked}`;
  // A failing resource looks at an annotation of its own at the next retry; a request runs it now.
  const annotations = { [reconcileDrift]: token, "setpoint.dev/reconcile": token };
  await of.patch(name, { metadata: { annotations } });
  return await of.until(
    name,
    "corrected",
    ({ status }) => status?.handled?.reconcileDrift === token,
  );
}

export function driftOf(target: Target): readonly string[] {
  return (target.status?.drift?.items ?? []).map(({ path, kind }) => `${kind} ${path}`);
}
