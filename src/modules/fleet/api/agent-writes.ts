// Stores what agents report: status.report of a DataPlaneCluster or of ManagedInstances, and
// nothing else. A report that says what is stored already is not written. Each write is judged
// again on the newest document, so that a report that was overtaken changes nothing.

import { updateResource, withoutRevision } from "../../../intents/write/update.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { equalJson } from "../../../kernel/json.ts";
import { objectAt, presentObjectAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { shortText } from "../../../kernel/short-text.ts";
import { withoutKey } from "../../../kernel/without-key.ts";
import { readStored } from "../../../intents/write/stored.ts";
import type { Target, WriteOptions } from "../../../intents/request.ts";
import { readCluster } from "../clusters/cluster.ts";
import { withInstanceReport } from "../clusters/report.ts";
import { isLeaving } from "../clusters/phases.ts";
import { fleetLimits } from "../limits.ts";
import { clusterNamespace, clustersKind, managedInstanceKey } from "../names.ts";
import { managedInstancesKind } from "../names.ts";
import { agentCluster } from "./agent-cluster.ts";
import { clusterReportOf } from "./agent-cluster-report.ts";
import { judgeReport } from "./agent-report.ts";
import type { Verdict } from "./agent-report.ts";
import type { FleetRequest, FleetRoutePorts } from "./fleet-route.ts";

const options: WriteOptions = {
  isDryRun: false,
  fieldManager: "setpoint-agent",
  fieldValidation: "Strict",
};

/** An unchanged report is stored again once in a while, as a sign of life. */
export async function takeClusterReport(
  ports: FleetRoutePorts,
  request: FleetRequest,
): Promise<void> {
  const cluster = agentCluster(ports, request);
  const { offering, body = {} } = request;
  const nowMs = ports.clock.nowMs();
  const edit = (old: Resource): Resource => {
    if (isLeaving(readCluster(old).phase)) return old;
    const last = presentObjectAt(old.status, "report");
    const report = clusterReportOf(body, offering, last);
    const isSame = last !== undefined && equalJson(withoutKey(last, "at"), report);
    const ageMs = nowMs - Date.parse(textAt(last, "at"));
    if (isSame && ageMs >= 0 && ageMs < fleetLimits.agentHeartbeatMs) return old;
    const at = new Date(nowMs).toISOString();
    return withReport(old, { ...report, at });
  };
  // Most reports change nothing, and are not written.
  if (edit(cluster) === cluster) return;
  const target = statusOf(ports, clustersKind, { namespace: "", name: cluster.metadata.name });
  await updateStatus(ports, request, target, edit);
}

/** Judges each report alone. Returns the counts, and the first refusals. */
export async function takeReports(
  ports: FleetRoutePorts,
  request: FleetRequest,
): Promise<JsonObject> {
  const cluster = agentCluster(ports, request);
  const entries = Object.entries(request.body ?? {});
  if (entries.length > fleetLimits.maxReportsPerBatch) {
    const message = `more than ${fleetLimits.maxReportsPerBatch} reports in one request`;
    throw new SetpointError("fleet.validation", message, { suggestion: "send smaller batches" });
  }
  const counts = { stored: 0, unchanged: 0, refused: 0 };
  const refusals: JsonObject[] = [];
  const judge = judgeOf(ports, request, cluster);
  for (let start = 0; start < entries.length; start += batchItems) {
    request.signal.throwIfAborted();
    const batch = entries.slice(start, start + batchItems);
    const found = await readInstances(
      ports,
      cluster.metadata.name,
      batch.map(([id]) => id),
    );
    await Promise.all(
      batch.map(async ([id, sent], at) => {
        const verdict = await settled(ports, request, judge, found[at], { id, sent });
        counts[verdict.kind === "store" ? "stored" : verdict.kind] += 1;
        if (verdict.kind !== "refused" || refusals.length >= shownRefusals) return;
        refusals.push({ id: shortText(id, 64).toWellFormed(), reason: verdict.reason });
      }),
    );
  }
  if (counts.refused > 0) {
    const fields = { cluster: cluster.metadata.name, offering: request.offering.name };
    ports.log.warn({ ...fields, ...counts, refusals }, "reports of an agent refused");
  }
  return { kind: "ReportResult", ...counts, refusals };
}

/** Documents that are read, and reports that are written, at the same time. */
const batchItems = 64;
const shownRefusals = 20;

type Entry = { readonly id: string; readonly sent: JsonObject[string] };
type Judge = (resource: Resource | undefined, sent: Entry["sent"]) => Verdict;

function judgeOf(ports: FleetRoutePorts, { offering }: FleetRequest, cluster: Resource): Judge {
  const domain = readCluster(cluster).dns;
  const nowMs = ports.clock.nowMs();
  return (resource, sent) => judgeReport({ resource, sent, offering, domain, nowMs });
}

async function settled(
  ports: FleetRoutePorts,
  request: FleetRequest,
  judge: Judge,
  found: Resource | undefined,
  { id, sent }: Entry,
): Promise<Verdict> {
  let verdict = judge(found, sent);
  if (verdict.kind !== "store") return verdict;
  const namespace = clusterNamespace(request.path["cluster"] ?? "");
  const target = statusOf(ports, managedInstancesKind, { namespace, name: id });
  const edit = (old: Resource): Resource => {
    verdict = judge(old, sent);
    if (verdict.kind !== "store") return old;
    return withInstanceReport(old, verdict.report, ports.clock.nowMs());
  };
  try {
    await updateStatus(ports, request, target, edit);
  } catch (error) {
    if (!(error instanceof SetpointError) || error.status >= 500) throw error;
    return { kind: "refused", reason: error.message };
  }
  return verdict;
}

async function readInstances(
  { store, kinds }: FleetRoutePorts,
  cluster: string,
  ids: readonly string[],
): Promise<readonly (Resource | undefined)[]> {
  const served = kinds.byId(managedInstancesKind);
  if (served === undefined) throw new Error("ManagedInstances are always served");
  // The store bounds names; a longer id, or one that no name can have, is simply not there.
  const records = await store.getMany(
    ids.map((id) => managedInstanceKey(cluster, idPattern.test(id) ? id : "-")),
  );
  return await Promise.all(
    records.map(async (record) =>
      record === undefined ? undefined : await readStored(served, served.storage, record),
    ),
  );
}

const idPattern = /^[a-z0-9][-a-z0-9.]{0,252}$/;

function statusOf(
  { kinds }: FleetRoutePorts,
  kind: string,
  place: Pick<Target, "namespace" | "name">,
): Target {
  const served = kinds.byId(kind);
  if (served === undefined) throw new Error(`${kind} are always served`);
  return { served, version: served.storage, ...place, subresource: "status" };
}

function withReport(resource: Resource, report: JsonObject): Resource {
  return { ...resource, status: { ...objectAt(resource, "status"), report } };
}

async function updateStatus(
  { intents }: FleetRoutePorts,
  { caller }: FleetRequest,
  target: Target,
  edit: (old: Resource) => Resource,
): Promise<void> {
  await updateResource(intents, {
    caller,
    target,
    options,
    optionsKind: "UpdateOptions",
    // Without a revision the change is repeated on the newest document after a lost race.
    change: (old) => ({ wanted: withoutRevision(edit(old)) }),
    allowsBlind: true,
  });
}
