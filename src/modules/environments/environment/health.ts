// Health of an Environment: its own status endpoints and those of its resources. While it is
// validated they are called often, afterwards at their interval.

import { timeText } from "../../../kernel/clock.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { environmentLimits } from "../limits.ts";
import { templatesOf } from "../operations/action.ts";
import { environmentLinks } from "../templates/compile.ts";
import { environmentFacts } from "../templates/expand.ts";
import { endpointsOf, linkBudget, linkTexts, renderLinks } from "../templates/links.ts";
import { validLinks } from "../templates/links.ts";
import type { LinkTemplate, RenderedLink } from "../templates/links.ts";
import { checkParameters, joinedDeclarations } from "../templates/parameters.ts";
import { inTurnsOf } from "../templates/turns.ts";
import { callEndpoints } from "./endpoints.ts";
import type { EndpointResult } from "./endpoints.ts";
import { readableOutputs } from "./members.ts";
import type { Member } from "./members.ts";
import type { EnvironmentRun } from "./run.ts";

export interface Health {
  readonly verdict: "healthy" | "pending" | "unhealthy";
  readonly message: string;
  readonly status: JsonObject | null;
  readonly entryPoints: Json;
  readonly againMs: number | undefined;
}

/** `isSettled`: all resources are ready, so that the endpoints can be expected to answer. */
export async function healthOf(
  run: EnvironmentRun,
  members: readonly Member[],
  isSettled: boolean,
): Promise<Health> {
  const { resource, context, ports } = run;
  const links = await renderedLinks(run, members);
  const own = links.endpoints;
  const ofMembers = members.flatMap(({ name, resource: member }) =>
    objectsAt(member.status, "statusEndpoints").map((each) => ofMember(each, name)),
  );
  const entryPoints = links.entryPoints.length === 0 ? null : links.entryPoints;
  const before = objectAt(resource.status, "health");
  if (!isSettled || own.length + ofMembers.length === 0) {
    const verdict = isSettled ? "healthy" : "pending";
    const isKept = !isSettled && Object.keys(before).length > 0;
    // A new deployment has time for its validation again.
    const kept = isKept ? { ...before, validUntil: null } : null;
    return { verdict, message: "", status: kept, entryPoints, againMs: undefined };
  }
  const nowMs = context.clock.nowMs();
  const pace = pacesOf(own, before, nowMs, textAt(resource.status, "phase") === "DeployedOk");
  const known = objectsAt(before, "endpoints");
  const called: readonly JsonObject[] = pace.isDue
    ? shown(
        await callEndpoints(own, {
          http: ports.http,
          signal: context.signal,
          nowMs,
          before: known,
        }),
      )
    : known.filter((each) => own.some((one) => textAt(one, "name") === textAt(each, "name")));
  const endpoints = [...called, ...ofMembers].slice(0, environmentLimits.maxEndpoints);
  const { timeoutSeconds } = links;
  return verdictOf(run, {
    timeoutSeconds,
    endpoints,
    before,
    nowMs,
    entryPoints,
    againMs: pace.againMs(called),
  });
}

function ofMember(endpoint: JsonObject, member: string): JsonObject {
  return { ...endpoint, name: `${member}/${textAt(endpoint, "name")}` };
}

function shown(results: readonly EndpointResult[]): readonly JsonObject[] {
  return results.map((result) => ({ ...result }));
}

interface Pace {
  readonly isDue: boolean;
  readonly againMs: (called: readonly JsonObject[]) => number | undefined;
}

function pacesOf(
  own: readonly JsonObject[],
  before: JsonObject,
  nowMs: number,
  isValidated: boolean,
): Pace {
  const stated = own.map((each) => numberAt(each, "intervalSeconds"));
  const usual = isValidated
    ? environmentLimits.healthIntervalSeconds
    : environmentLimits.validationIntervalSeconds;
  const seconds = Math.min(...stated.map((each) => each ?? usual), usual);
  const checked = objectsAt(before, "endpoints").map((each) =>
    Date.parse(textAt(each, "checkedAt")),
  );
  const oldest = checked.length === 0 ? 0 : Math.min(...checked);
  const leftMs = oldest + seconds * 1_000 - nowMs;
  const isDue = own.length > 0 && (checked.length < own.length || leftMs <= 0);
  return {
    isDue,
    againMs: () => {
      if (own.length === 0) return undefined;
      return isDue ? seconds * 1_000 : Math.max(1, leftMs);
    },
  };
}

interface Verdict {
  readonly timeoutSeconds: number;
  readonly endpoints: readonly JsonObject[];
  readonly before: JsonObject;
  readonly nowMs: number;
  readonly entryPoints: Json;
  readonly againMs: number | undefined;
}

function verdictOf(run: EnvironmentRun, given: Verdict): Health {
  const { endpoints, before, nowMs, entryPoints, againMs } = given;
  const first = endpoints.find((each) => each["healthy"] !== true);
  const message =
    first === undefined ? "" : `${textAt(first, "name")}: ${textAt(first, "message")}`;
  const state = first === undefined ? "Healthy" : "Unhealthy";
  const at = timeText(nowMs);
  const since = textAt(before, "state") === state ? textAt(before, "since") || at : at;
  const status: JsonObject = {
    state,
    endpoints,
    since,
    ...(message === "" ? { message: null } : { message }),
  };
  if (first === undefined) {
    return {
      verdict: "healthy",
      message,
      status: { ...status, validUntil: null },
      entryPoints,
      againMs,
    };
  }
  // A new deployment has some time until its endpoints answer; a validated one has not.
  const phase = textAt(run.resource.status, "phase");
  const isValidating = phase === "Deploying" || phase === "DeployedWaiting" || phase === "";
  const known = textAt(before, "validUntil");
  const validUntil = known === "" ? timeText(nowMs + given.timeoutSeconds * 1_000) : known;
  const isPending = isValidating && Date.parse(validUntil) > nowMs;
  const kept = { ...status, validUntil };
  return {
    verdict: isPending ? "pending" : "unhealthy",
    message,
    status: kept,
    entryPoints,
    againMs,
  };
}

interface Links {
  /** How long validation may take. */
  readonly timeoutSeconds: number;
  readonly entryPoints: readonly JsonObject[];
  readonly endpoints: readonly JsonObject[];
}

/** Of the Environment itself and of its templates. Links without a value yet are left out. */
async function renderedLinks(run: EnvironmentRun, members: readonly Member[]): Promise<Links> {
  const { resource } = run;
  const spec = objectAt(resource, "spec");
  const templates = await templatesOf(run);
  const declared = joinedDeclarations(templates.map(({ compiled }) => compiled.spec));
  const given = { plain: objectAt(spec, "parameters"), secret: {} };
  const steps = checkParameters(declared, given, "spec");
  const checked = await inTurnsOf(resource.metadata.namespace ?? "", steps);
  const all = [...templates.map(({ compiled }) => compiled), environmentLinks(spec, "spec")];
  const hasTexts = linkTexts(all.flatMap((each) => [...each.links, ...each.endpoints])).length > 0;
  const variables = {
    parameters: checked.plain,
    environment: environmentFacts({ ...resource.metadata }, spec),
    resources: hasTexts ? readableOutputs(members) : {},
  };
  const budget = linkBudget();
  const render = (links: readonly LinkTemplate[]): readonly RenderedLink[] =>
    renderLinks(links, variables, budget);
  const stated = templates.flatMap(({ compiled }) => {
    return numberAt(compiled.spec, "validation", "timeoutSeconds") ?? [];
  });
  const usual = environmentLimits.validationTimeoutSeconds;
  return {
    timeoutSeconds: stated.length === 0 ? usual : Math.max(...stated),
    entryPoints: all.flatMap(({ links }) => validLinks(render(links))),
    endpoints: all.flatMap(({ endpoints }) => endpointsOf(render(endpoints))),
  };
}
