// Health of an Environment: its own status endpoints and those of its resources. While it is
// validated they are called often, afterwards at their interval.

import { timeText } from "../../../kernel/clock.ts";
import { isJsonArray } from "../../../kernel/json.ts";
import type { Json, JsonObject } from "../../../kernel/json.ts";
import { listAt, numberAt, objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import { limits } from "../../../kernel/limits.ts";
import { TemplateProblem, compileTemplate } from "../../../kernel/template/template.ts";
import type { Template } from "../../../kernel/template/template.ts";
import { environmentLimits } from "../limits.ts";
import { templatesOf } from "../operations/action.ts";
import { environmentVariables } from "../templates/compile.ts";
import { environmentFacts } from "../templates/expand.ts";
import { checkParameters, joinedDeclarations } from "../templates/parameters.ts";
import { inTurnsOf } from "../templates/turns.ts";
import { callEndpoints } from "./endpoints.ts";
import type { EndpointResult } from "./endpoints.ts";
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
    const kept = isSettled || Object.keys(before).length === 0 ? null : before;
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

/** Of the Environment itself and of its templates. Texts without a value yet are left out. */
async function renderedLinks(run: EnvironmentRun, members: readonly Member[]): Promise<Links> {
  const { resource } = run;
  const spec = objectAt(resource, "spec");
  const templates = await templatesOf(run);
  const declared = joinedDeclarations(templates.map(({ compiled }) => compiled.spec));
  const given = { plain: objectAt(spec, "parameters"), secret: {} };
  const steps = checkParameters(declared, given, "spec");
  const checked = await inTurnsOf(resource.metadata.namespace ?? "", steps);
  const resources: { [key: string]: Json } = {};
  const hasOwn = templates.some(({ compiled }) => {
    const texts = [...(compiled.links?.texts ?? []), ...(compiled.endpoints?.texts ?? [])];
    return texts.length > 0;
  });
  const isStated = ["entryPoints", "statusEndpoints"].some(
    (field) => listAt(spec, field).length > 0,
  );
  for (const member of hasOwn || isStated ? members : []) {
    resources[member.key] = { outputs: objectAt(member.resource.status, "outputs") };
  }
  const variables = {
    parameters: checked.plain,
    environment: environmentFacts({ ...resource.metadata }, spec),
    resources,
  };
  let units: number = limits.maxTemplateUnits;
  const render = (template: Template | undefined): readonly JsonObject[] => {
    try {
      const rendered = template?.renderWithin(units, variables);
      units -= rendered?.units ?? 0;
      const links = rendered?.result;
      return isJsonArray(links) ? links.map((each) => objectAt(each)) : [];
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error;
      return [];
    }
  };
  const ofSpec = (field: string): Template | undefined => {
    const list = listAt(spec, field);
    if (list.length === 0) return undefined;
    const compiled = compileTemplate(list, environmentVariables, `spec.${field}`);
    return compiled.kind === "compiled" ? compiled.template : undefined;
  };
  const stated = templates.flatMap(({ compiled }) => {
    return numberAt(compiled.spec, "validation", "timeoutSeconds") ?? [];
  });
  const usual = environmentLimits.validationTimeoutSeconds;
  return {
    timeoutSeconds: stated.length === 0 ? usual : Math.max(...stated),
    entryPoints: [
      ...templates.flatMap(({ compiled }) => render(compiled.links)),
      ...render(ofSpec("entryPoints")),
    ],
    endpoints: [
      ...templates.flatMap(({ compiled }) => render(compiled.endpoints)),
      ...render(ofSpec("statusEndpoints")),
    ],
  };
}
