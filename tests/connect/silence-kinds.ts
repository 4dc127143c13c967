// Alertmanager as an import of its document describes it, and what no document says: that a silence
// is changed by sending it to the collection again, when it may get another id, that it is never
// gone but expires, and that who made it stays who made it.
import { join } from "node:path";
import { httpWith } from "../../src/adapters/http/client.ts";
import { systemTimers } from "../../src/kernel/timers.ts";
import { importDocument } from "../../src/modules/connect/import/import-document.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { root } from "../../tools/stages.ts";
import { alertmanagerBase } from "../peers/alertmanager.ts";
import type { Service } from "../peers/service.ts";

const group = "alerts.tests.dev";
export const apiVersion = `${group}/v1`;

export interface SilenceOptions {
  /** Of the service, or of the proxy before it. */
  readonly url: string;
  readonly timeoutSeconds?: number;
}

export async function silenceKinds({
  url,
  // A busy machine must not look like a service that does not answer.
  timeoutSeconds = 15,
}: SilenceOptions): Promise<readonly JsonObject[]> {
  const baseUrl = `${url}${alertmanagerBase}`;
  const { kinds } = await importDocument({
    document: join(root, "tests/connect/alertmanager.openapi.yaml"),
    baseUrl,
    group,
    connection: "alerts",
    allowed: [],
    target: { kind: "none" },
    openHttp: httpWith(systemTimers),
  });
  const connection = {
    apiVersion: "connect.setpoint.dev/v1",
    kind: "Connection",
    metadata: { name: "alerts" },
    // One bad moment must not make the others wait.
    spec: { baseUrl, timeoutSeconds, breaker: { failures: 1_000 } },
  };
  const made = kinds.flatMap(({ definition, restKind }) => [definition, reviewed(restKind)]);
  return [connection, ...made];
}

/** As a person corrects it after the import. */
function reviewed(restKind: JsonObject): JsonObject {
  const spec = restKind["spec"] as JsonObject;
  const fields: readonly Json[] = [
    ...(spec["fields"] as readonly Json[]),
    { path: "/id", class: "update-only", from: "override" },
    { path: "/createdBy", class: "create-only", from: "override" },
  ];
  const operations = spec["operations"] as JsonObject;
  return {
    ...restKind,
    spec: {
      ...spec,
      fields,
      lists: [{ path: "/matchers", keys: ["/name", "/value"] }],
      operations: { ...operations, replace: { method: "POST", path: "/silences" } },
      ready: "observed.status.state in ['active', 'pending']",
      gone: "observed.status.state == 'expired'",
      resyncSeconds: 3_600,
    },
  };
}

export interface Silence {
  readonly id: string;
  readonly matchers: readonly JsonObject[];
  readonly startsAt: string;
  readonly endsAt: string;
  readonly createdBy: string;
  readonly comment: string;
  readonly status: { readonly state: string };
}

export const about = (value: string): readonly JsonObject[] => [
  { name: "job", value, isRegex: false },
];

/** The spec of one that is told by its comment. */
export const silence = (comment: string, more: JsonObject = {}): JsonObject => ({
  matchers: about(comment),
  // A beginning in the past becomes now, which is nobody's wish.
  startsAt: "2900-01-01T00:00:00Z",
  endsAt: "2999-01-01T00:00:00Z",
  createdBy: "tests",
  comment,
  ...more,
});

/** Whose comment begins so, the expired ones too. */
export async function allSilences(service: Service, comment: string): Promise<readonly Silence[]> {
  const { json } = await service.ask("GET", `${alertmanagerBase}/silences`);
  return (json as readonly Silence[]).filter((each) => each.comment.startsWith(comment));
}

export function isAlive({ status }: Silence): boolean {
  return status.state !== "expired";
}
