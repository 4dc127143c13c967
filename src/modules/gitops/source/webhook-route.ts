// POST of a git host. A delivery without a valid proof gets the same answer whether the deployment
// exists or not. A valid one wakes the sources of the namespace that it is about.

import type { Route, RouteAnswer, RoutePorts, RouteRequest } from "../../../contract/route.ts";
import { commitWakes, wake } from "../../../engine/wakes/wakes.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { SetpointError } from "../../../kernel/errors.ts";
import { textAt } from "../../../kernel/json-read.ts";
import type { Resource, ResourceKey } from "../../../kernel/resource.ts";
import { secretData } from "../../../kernel/secret-data.ts";
import type { Schedule } from "../../../store/port.ts";
import type { ModuleMeter } from "../../../contract/ports.ts";
import { gitopsLimits } from "../limits.ts";
import { webhooksMetric } from "../metrics.ts";
import { deploymentKey, sourceKey, sourcesKind } from "../names.ts";
import { repositoryPlace } from "./repository-name.ts";
import {
  concerns,
  decideWebhook,
  webhookHeaders,
  webhookProviders,
  webhookTemplate,
} from "./webhook.ts";
import type { WebhookDecision, WebhookProvider } from "./webhook.ts";

export interface WebhookRouteInput {
  readonly ports: Pick<RoutePorts, "store" | "intents">;
  readonly clock: Clock;
  readonly meter: Pick<ModuleMeter, "count">;
}

export function webhookRoute({ ports, clock, meter }: WebhookRouteInput): Route {
  const rates = minuteRates(clock);
  return {
    method: "POST",
    path: webhookTemplate,
    parameters: { namespace: "The namespace.", name: "The name of a GitOpsDeployment." },
    headers: webhookHeaders,
    summary: "Announce a push to a repository.",
    description:
      "For git hosts. The proof is that of the provider in spec.source.webhook. The commit is " +
      "read from the repository; only names of refs and repositories in the body are used.",
    tag: "GitOps",
    access: { kind: "public" },
    textBytes: gitopsLimits.maxWebhookBytes,
    answers: {
      202: {
        description: "The sources that are compared now.",
        schema: { type: "object", properties: { sources: { type: "integer" } } },
      },
    },
    errors: [401, 413, 429],
    handle: async (request) => {
      const { provider, decision, repoURL } = await decided(ports, request);
      const count = (result: string): void =>
        meter.count(webhooksMetric, { provider: provider ?? "unknown", result });
      if (decision.kind === "refused") {
        count(decision.result);
        throw refusal();
      }
      const { namespace = "" } = request.path;
      const afterMs = rates.take(namespace);
      if (afterMs > 0) {
        count("limited");
        throw tooMany(afterMs);
      }
      count("accepted");
      if (decision.kind === "ignored") return accepted(0);
      const push = decision.kind === "long" ? { urls: [repoURL], refs: [] } : decision;
      const wakes = await wakesOf(ports, namespace, push);
      await commitWakes(ports.intents.store, wakes, request.signal);
      return accepted(wakes.length);
    },
  };
}

interface Decided {
  readonly provider: WebhookProvider | undefined;
  readonly decision: WebhookDecision;
  /** Of the deployment. */
  readonly repoURL: string;
}

async function decided(
  ports: WebhookRouteInput["ports"],
  { path: { namespace = "", name = "" }, headers = {}, text: body = "" }: RouteRequest,
): Promise<Decided> {
  const deployment = await read(ports, deploymentKey(namespace, name));
  const named = textAt(deployment, "spec", "source", "webhook", "provider");
  const provider = webhookProviders.find((each) => each === named);
  const secret = textAt(deployment, "spec", "source", "webhook", "secretRef", "name");
  const key = textAt(deployment, "spec", "source", "webhook", "secretRef", "key");
  // A Secret is read also without a deployment, so that the answer takes as long.
  const found = await read(ports, { kind: "secrets", namespace, name: secret || "none" });
  const value = (secretData(found)?.[key] ?? "").replace(/\r?\n$/, "");
  const delivery = { provider: provider ?? "GitHub", headers, body };
  const decision = decideWebhook(delivery, provider === undefined ? "" : value);
  return { provider, decision, repoURL: textAt(deployment, "spec", "source", "repoURL") };
}

async function read(
  { store }: WebhookRouteInput["ports"],
  key: ResourceKey,
): Promise<Resource | undefined> {
  const record = await store.get(key);
  return record && decodeDocument(record.body, record.revision);
}

async function wakesOf(
  { store }: WebhookRouteInput["ports"],
  namespace: string,
  { urls, refs }: Pick<WebhookDecision & { kind: "push" }, "urls" | "refs">,
): Promise<readonly Schedule[]> {
  const places = new Set(urls.map(repositoryPlace));
  const wakes: Schedule[] = [];
  let page = await store.list({ kind: sourcesKind, namespace });
  for (;;) {
    for (const { body, revision, uid } of page.records) {
      const source = decodeDocument(body, revision);
      if (!places.has(repositoryPlace(textAt(source, "spec", "repoURL")))) continue;
      if (!concerns(refs, textAt(source, "spec", "targetRevision"))) continue;
      wakes.push(wake(sourceKey(namespace, source.metadata.name), uid));
    }
    if (page.next === undefined) return wakes;
    page = await store.list({ kind: sourcesKind, namespace, from: page.next });
  }
}

function accepted(sources: number): RouteAnswer {
  return { kind: "document", status: 202, document: { sources } };
}

function refusal(): SetpointError {
  const message = "the webhook has no valid signature for this URL";
  return new SetpointError("gitops.webhook_refused", message);
}

function tooMany(afterMs: number): SetpointError {
  const { webhooksPerMinute } = gitopsLimits;
  const message = `the namespace received ${webhooksPerMinute} webhooks within one minute`;
  return new SetpointError("gitops.webhook_limited", message, {
    details: { retryAfterSeconds: Math.ceil(afterMs / 1_000) },
  });
}

interface MinuteRates {
  /** 0: it is within the limit; else after how long one is. */
  take(namespace: string): number;
}

/** Counts what was accepted, so that deliveries without a proof use up nothing of a tenant. */
export function minuteRates(clock: Clock): MinuteRates {
  const minuteMs = 60_000;
  let minute = 0;
  let counts = new Map<string, number>();
  return {
    take: (namespace) => {
      const nowMs = clock.nowMs();
      const present = Math.floor(nowMs / minuteMs);
      if (present !== minute) {
        minute = present;
        counts = new Map();
      }
      const count = (counts.get(namespace) ?? 0) + 1;
      if (count > gitopsLimits.webhooksPerMinute) return (minute + 1) * minuteMs - nowMs;
      counts.set(namespace, count);
      return 0;
    },
  };
}
