/**
 * The work of the agent of a cluster: it takes the SyncBundles of its cluster from the control
 * plane, carries them out at the API of the cluster, and reports. It needs no git and no inbound
 * connection, and keeps nothing on disk: after a kill it reads its last reports again.
 */
import { remoteApi } from "../../../acting/object-api.ts";
import type { KubeClient } from "../../../adapters/kubernetes/port.ts";
import type { AgentWork, AgentWorkInput } from "../../../contract/command.ts";
import { keyedWorker } from "../../../intents/housekeeping/keyed-worker.ts";
import type { KeyedWorker } from "../../../intents/housekeeping/keyed-worker.ts";
import { timeText } from "../../../kernel/clock.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, textAt } from "../../../kernel/json-read.ts";
import { digestOf } from "../digest.ts";
import { gitopsLimits } from "../limits.ts";
import { deploymentLabel, fieldManager, gitopsVersion, isOfSetpoint } from "../names.ts";
import { heartbeatName } from "../names.ts";
import { SettledObjects } from "../sync/settled-objects.ts";
import { objectTarget } from "../targets/object-target.ts";
import type { TargetIdentity, TargetRules } from "../targets/target.ts";
import { reportDocument, reportIn, requestIn } from "./bundle.ts";
import type { BundleReport, BundleRequest } from "./bundle.ts";
import { packed, unpacked } from "./packing.ts";
import { performBundle, rulesOf } from "./perform-bundle.ts";

export const runBundles: AgentWork = async (input) => {
  using target = input.openTarget(fieldManager);
  await new BundleAgent(input, target).run();
};

interface Known {
  readonly digest: string;
  readonly about: string;
  readonly request: BundleRequest;
}

class BundleAgent {
  readonly #input: AgentWorkInput;
  readonly #target: KubeClient;
  readonly #bundles = new Map<string, JsonObject>();
  readonly #requests = new Map<string, Known>();
  readonly #reports = new Map<string, { readonly report: BundleReport; readonly digest: string }>();
  readonly #settled = new SettledObjects();

  constructor(input: AgentWorkInput, target: KubeClient) {
    this.#input = input;
    this.#target = target;
  }

  async run(): Promise<void> {
    const { daemon, cluster } = this.#input;
    const { timers, log, stopping, random } = daemon;
    await using worker = keyedWorker({
      timers,
      work: async (name) => await this.#work(name),
      onError: (error, bundle) => {
        if (!stopping.aborted) log.warn({ error, bundle }, "bundle not carried out");
      },
    });
    let failures = 0;
    while (!stopping.aborted) {
      try {
        await this.#follow(worker, () => {
          failures = 0;
        });
      } catch (error) {
        if (stopping.aborted) break;
        const mostMs = gitopsLimits.agentRetryMostMs;
        const pauseMs =
          Math.min(mostMs, 1_000 * 2 ** Math.min(failures, 10)) * (0.5 + random.next());
        failures += 1;
        log.warn({ error, cluster, pause_ms: Math.round(pauseMs) }, "bundles not followed");
        await timers.sleep(pauseMs, stopping).catch(() => undefined);
      }
    }
  }

  #path(name = ""): string {
    const { namespace } = this.#input;
    const list = `/apis/${gitopsVersion}/namespaces/${namespace}/syncbundles`;
    return name === "" ? list : `${list}/${name}`;
  }

  async #follow(worker: KeyedWorker, listed: () => void): Promise<void> {
    const { controlPlane, daemon } = this.#input;
    const take = (bundle: JsonObject): void => {
      const name = textAt(bundle, "metadata", "name");
      const before = textAt(this.#bundles.get(name), "spec", "digest");
      const isKnown = this.#bundles.has(name);
      this.#bundles.set(name, bundle);
      // The own report is no news.
      if (!isKnown || before !== textAt(bundle, "spec", "digest")) worker.add(name);
    };
    const listener = {
      listed: (items: readonly JsonObject[]) => {
        listed();
        const names = new Set(items.map((item) => textAt(item, "metadata", "name")));
        for (const name of this.#bundles.keys()) if (!names.has(name)) this.#forget(name);
        for (const item of items) take(item);
      },
      changed: (type: "ADDED" | "MODIFIED" | "DELETED", bundle: JsonObject) => {
        if (type === "DELETED") this.#forget(textAt(bundle, "metadata", "name"));
        else take(bundle);
      },
    };
    await controlPlane.follow(this.#path(), {}, listener, daemon.stopping);
  }

  #forget(name: string): void {
    this.#bundles.delete(name);
    this.#requests.delete(name);
    this.#reports.delete(name);
  }

  /** Returns when to look again. */
  async #work(name: string): Promise<number | undefined> {
    const { stopping, clock, log } = this.#input.daemon;
    const bundle = this.#bundles.get(name);
    if (bundle === undefined || stopping.aborted) return undefined;
    if (name === heartbeatName) {
      await this.#report(name, { reportedAt: timeText(clock.nowMs()) });
      return gitopsLimits.agentBeatMs;
    }
    const known = await this.#request(name, bundle);
    if (known === undefined) return gitopsLimits.healthPollMs;
    const report = await this.#perform(name, known);
    const digest = digestOf({ ...reportDocument(report, uidOf(known)), of: known.digest });
    // The request was replaced meanwhile: what was found is not about the new one.
    if (textAt(this.#bundles.get(name), "spec", "digest") !== known.digest) return 0;
    if (this.#reports.get(name)?.digest !== digest) {
      await this.#send(name, known, report);
      log.info({ bundle: name, action: known.request.kind }, "bundle reported");
    }
    this.#reports.set(name, { report, digest });
    return isRunning(report) ? gitopsLimits.healthPollMs : gitopsLimits.driftSeconds * 1_000;
  }

  async #request(name: string, bundle: JsonObject): Promise<Known | undefined> {
    const { controlPlane, daemon } = this.#input;
    const digest = textAt(bundle, "spec", "digest");
    const found = this.#requests.get(name);
    if (found?.digest === digest) return found;
    const parts = numberAt(bundle, "spec", "parts") ?? 0;
    if (parts > gitopsLimits.maxBundleParts) return undefined;
    const data: Buffer[] = [];
    for (let part = 0; part < parts; part += 1) {
      const path = `${this.#path(name)}/payload?part=${part}`;
      const payload = await controlPlane.get(path, daemon.stopping);
      // The server has replaced the request meanwhile: its change follows.
      if (textAt(payload, "digest") !== digest) return undefined;
      data.push(Buffer.from(textAt(payload, "data"), "base64"));
    }
    const document = unpacked(Buffer.concat(data));
    if (document === undefined) return undefined;
    const request = requestIn(objectAt(document, "request"));
    const known = { digest, about: textAt(document, "about"), request };
    this.#requests.set(name, known);
    return known;
  }

  async #perform(name: string, known: Known): Promise<BundleReport> {
    const { daemon } = this.#input;
    const { request, about } = known;
    const rules = rulesOf(request, noRules);
    const outside = async <T>(
      _system: string,
      call: (signal: AbortSignal) => Promise<T>,
    ): Promise<T> => await call(daemon.stopping);
    const target = objectTarget({
      api: remoteApi(this.#target, { outside }, "cluster"),
      rules,
      label: deploymentLabel,
      isProtected: isOfSetpoint,
    });
    return await performBundle(request, {
      target,
      rules,
      settled: this.#settled,
      about,
      earlier: this.#reports.get(name)?.report ?? this.#stored(name, request),
      others: this.#others(request.deploymentUid),
      nowMs: () => daemon.clock.nowMs(),
    });
  }

  /** The last report of an earlier process. */
  #stored(name: string, { deploymentUid }: BundleRequest): BundleReport | undefined {
    const payload = textAt(this.#bundles.get(name), "status", "payload");
    const document = unpacked(Buffer.from(payload, "base64"));
    return document === undefined ? undefined : reportIn(document, deploymentUid);
  }

  #others(deploymentUid: string): ReadonlySet<string> {
    const uids = [...this.#bundles.values()].map((bundle) =>
      textAt(bundle, "spec", "deployment", "uid"),
    );
    return new Set(uids.filter((uid) => uid !== deploymentUid && uid !== ""));
  }

  async #send(name: string, known: Known, report: BundleReport): Promise<void> {
    const payload = packed(reportDocument(report, uidOf(known))).toString("base64");
    const isProblem = report.kind === "Problem";
    const isFit = payload.length <= gitopsLimits.maxBundleChars;
    const message = "the report has more characters than a SyncBundle may have";
    const fit = isFit
      ? payload
      : packed({ kind: "Problem", about: known.about, message }).toString("base64");
    await this.#report(name, {
      operation: textAt(this.#bundles.get(name), "spec", "operation"),
      phase: isProblem || !isFit ? "Failed" : isRunning(report) ? "Running" : "Succeeded",
      message: isProblem ? report.message.slice(0, gitopsLimits.maxMessageChars) : "",
      payload: fit,
      reportedAt: timeText(this.#input.daemon.clock.nowMs()),
    });
  }

  async #report(name: string, status: JsonObject): Promise<void> {
    const { controlPlane, namespace, daemon } = this.#input;
    const metadata = { name, namespace };
    const body = { apiVersion: gitopsVersion, kind: "SyncBundle", metadata, status };
    await controlPlane.apply(`${this.#path(name)}/status`, body, daemon.stopping);
  }
}

function uidOf({ request }: Known): string {
  return request.deploymentUid;
}

function isRunning(report: BundleReport): boolean {
  if (report.kind === "Remove") return report.left > 0;
  return report.kind === "Compare" && report.sync?.report.state === "running";
}

const identity: TargetIdentity = {
  kind: "Agent",
  environment: "",
  server: "",
  namespace: "",
  serviceAccountName: "",
  digest: "",
};

/** For a removal, which names the objects by their uids. */
const noRules: TargetRules = { identity, defaultNamespace: "", refusal: () => undefined };
