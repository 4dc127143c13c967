// Mutating webhooks: asked one after the other, in the order of their configurations, each about
// what the one before left. One that wishes so is asked once more when a later one changed the
// object; there is no third round, so that two that disagree cannot go on for ever.

import type { Resource } from "../../../kernel/resource.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../admission.ts";
import { internalError } from "../attributes.ts";
import { patched } from "./patched-object.ts";
import { objectToMutate, withIdentity } from "./shown-object.ts";
import { askWebhook, WebhookFailure } from "./webhook-call.ts";
import type { WebhookPorts } from "./webhook-call.ts";
import type { Candidate, WebhookIndex } from "./webhook-index.ts";
import { documentsFor } from "./webhook-match.ts";
import type { MatchPorts } from "./webhook-match.ts";

export interface WebhookPluginPorts extends WebhookPorts, MatchPorts {
  /** A webhook failed and the request went on without it. */
  readonly onIgnored: (error: WebhookFailure) => void;
}

export function mutatingWebhooks(index: WebhookIndex, ports: WebhookPluginPorts): AdmissionPlugin {
  return {
    name: "MutatingAdmissionWebhook",
    mutate: (request) => {
      const candidates = index.candidates(request);
      if (candidates.length === 0) return request.object;
      return mutate(candidates, request, ports);
    },
  };
}

async function mutate(
  candidates: readonly Candidate[],
  request: AdmissionRequest,
  ports: WebhookPluginPorts,
): Promise<Resource | undefined> {
  const start = objectToMutate(request);
  const rounds = new Rounds();
  let current = await mutateRound(candidates, start, rounds, ports);
  if (rounds.isChanged && rounds.hasSecond) {
    rounds.startSecond();
    current = await mutateRound(candidates, current, rounds, ports);
  }
  const { object } = current;
  return object === undefined || object === start.object
    ? request.object
    : withIdentity(object, request);
}

function withObject(request: AdmissionRequest, object: Resource): AdmissionRequest {
  return { ...request, object };
}

/** The webhooks that were called, and those that a later change affects. */
class Rounds {
  number = 0;
  isChanged = false;
  #asked = new Set<Candidate>();
  #again = new Set<Candidate>();
  #second: ReadonlySet<Candidate> = new Set();

  get hasSecond(): boolean {
    return this.#again.size > 0;
  }

  startSecond(): void {
    this.number = 1;
    this.#second = this.#again;
    this.#again = new Set();
  }

  isDue(candidate: Candidate): boolean {
    return this.number === 0 || this.#second.has(candidate);
  }

  record(candidate: Candidate, isChanged: boolean): void {
    if (isChanged) {
      this.isChanged = true;
      this.#again = this.#again.union(this.#asked);
      this.#asked = new Set();
    }
    if (candidate.webhook.isReinvoked) this.#asked.add(candidate);
  }
}

async function mutateRound(
  candidates: readonly Candidate[],
  start: AdmissionRequest,
  rounds: Rounds,
  ports: WebhookPluginPorts,
): Promise<AdmissionRequest> {
  let current = start;
  for (const [index, candidate] of candidates.entries()) {
    if (!rounds.isDue(candidate)) continue;
    const shown = await documentsFor(candidate, current, ports);
    if (shown === undefined) continue;
    const { name, configuration, isIgnoredOnFailure } = candidate.webhook;
    const at = `round_${rounds.number}_index_${index}`;
    const annotate = (isMutated: boolean): void => {
      const value = JSON.stringify({ configuration, webhook: name, mutated: isMutated });
      current.caller.annotate?.(`mutation.webhook.admission.k8s.io/${at}`, value);
    };
    try {
      const question = { candidate, request: current, shown, isMutating: true };
      const answer = await askWebhook(question, ports);
      const changed = await patched(candidate, current, shown.object, answer);
      const isChanged = changed !== undefined;
      annotate(isChanged);
      rounds.record(candidate, isChanged);
      if (changed !== undefined) current = withObject(current, changed);
    } catch (error) {
      annotate(false);
      if (!(error instanceof WebhookFailure)) throw error;
      if (!isIgnoredOnFailure) throw internalError(error.message, error);
      current.caller.annotate?.(`failed-open.mutation.webhook.admission.k8s.io/${at}`, name);
      rounds.record(candidate, false);
      ports.onIgnored(error);
    }
  }
  return current;
}
