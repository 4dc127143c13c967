// The record of one request: an event of audit.k8s.io/v1 for each of its stages that the policy
// wants. Events are handed to a sink that never makes a request wait.

import type { Clock } from "../../kernel/clock.ts";
import { parseExact } from "../../kernel/int64.ts";
import type { Json, JsonObject, MutableJsonObject } from "../../kernel/json.ts";
import { isJsonArray, isJsonObject } from "../../kernel/json.ts";
import { objectAt, textAt } from "../../kernel/json-read.ts";
import { withoutKey } from "../../kernel/without-key.ts";
import { parseYaml } from "../../kernel/yaml.ts";
import { userDocument } from "../admission/expression/request-document.ts";
import type { UserInfo } from "../auth/user.ts";
import type { AuditDecision, AuditPolicy, AuditSubject } from "./audit-policy.ts";

/** What is known of a request when it arrives. */
export interface AuditRequest extends Omit<AuditSubject, "user"> {
  readonly id: string;
  readonly uri: string;
  readonly version: string;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
}

export interface Auditor {
  /** Undefined when the policy wants no record of the request. */
  begin(request: AuditRequest, user: UserInfo): AuditTrail | undefined;
}

export interface AuditTrail {
  /** Whether bodies of requests have to be handed over. */
  readonly hasRequestBody: boolean;
  impersonate(user: UserInfo): void;
  decide(isAllowed: boolean, reason: string): void;
  /** What was recorded first under a key stays. */
  annotate(key: string, value: string): void;
  requestBody(bytes: Buffer): void;
  /** The head of an answer without an end, such as a watch, is on its way. */
  started(code: number): void;
  /** The body is absent when it came bit by bit or is compressed. */
  complete(code: number, body?: Buffer | string): void;
}

export interface AuditorInput {
  readonly policy: AuditPolicy;
  readonly clock: Clock;
  readonly write: (event: JsonObject) => void;
}

export function auditor({ policy, clock, write }: AuditorInput): Auditor {
  return {
    begin: (request, user) => {
      const decision = policy({ ...request, user });
      if (decision.level === "None") return undefined;
      return new Trail({ request, user, decision, clock, write });
    },
  };
}

interface TrailInput {
  readonly request: AuditRequest;
  readonly user: UserInfo;
  readonly decision: AuditDecision;
  readonly clock: Clock;
  readonly write: (event: JsonObject) => void;
}

class Trail implements AuditTrail {
  readonly #input: TrailInput;
  readonly #receivedAt: string;
  readonly #annotations: MutableJsonObject = {};
  #impersonated: UserInfo | undefined;
  #body: Buffer | undefined;
  #isComplete = false;

  constructor(input: TrailInput) {
    this.#input = input;
    this.#receivedAt = microTime(input.clock);
    this.#emit("RequestReceived", {});
  }

  get hasRequestBody(): boolean {
    const { level } = this.#input.decision;
    return level === "Request" || level === "RequestResponse";
  }

  impersonate(user: UserInfo): void {
    this.#impersonated = user;
  }

  decide(isAllowed: boolean, reason: string): void {
    this.annotate("authorization.k8s.io/decision", isAllowed ? "allow" : "forbid");
    this.annotate("authorization.k8s.io/reason", reason);
  }

  annotate(key: string, value: string): void {
    if (!Object.hasOwn(this.#annotations, key)) this.#annotations[key] = value;
  }

  requestBody(bytes: Buffer): void {
    this.#body = bytes;
  }

  started(code: number): void {
    this.#emit("ResponseStarted", { responseStatus: { metadata: {}, code } });
  }

  complete(code: number, body?: Buffer | string): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    const { request, decision } = this.#input;
    if (decision.omitStages.has("ResponseComplete")) return;
    const needsName = request.verb === "create" && request.name === "";
    const needsBody = decision.level === "RequestResponse" || code >= 400 || needsName;
    const answer = needsBody && body !== undefined ? readDocument(body) : undefined;
    const hasAnswer = decision.level === "RequestResponse" && answer !== undefined;
    this.#emit(
      "ResponseComplete",
      {
        responseStatus: statusOf(code, answer),
        ...this.#requestObject(),
        ...(hasAnswer ? { responseObject: this.#shown(answer) } : {}),
      },
      needsName && code < 400 ? textAt(answer, "metadata", "name") : "",
    );
  }

  #requestObject(): JsonObject {
    if (!this.hasRequestBody || this.#body === undefined || this.#body.length === 0) return {};
    const document = readDocument(this.#body);
    return document === undefined ? {} : { requestObject: this.#shown(document) };
  }

  #shown(document: Json): Json {
    return this.#input.decision.omitManagedFields ? withoutManagedFields(document) : document;
  }

  #emit(stage: string, parts: JsonObject, name = ""): void {
    const { request, user, decision, clock, write } = this.#input;
    if (decision.omitStages.has(stage)) return;
    const hasAnnotations = Object.keys(this.#annotations).length > 0;
    write({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: decision.level,
      auditID: request.id,
      stage,
      requestURI: request.uri,
      verb: request.verb,
      user: userDocument(user),
      ...(this.#impersonated === undefined
        ? {}
        : { impersonatedUser: userDocument(this.#impersonated) }),
      sourceIPs: [...request.sourceIps],
      ...(request.userAgent === "" ? {} : { userAgent: request.userAgent }),
      ...(request.isResource ? { objectRef: objectRef(request, name) } : {}),
      ...parts,
      requestReceivedTimestamp: this.#receivedAt,
      stageTimestamp: microTime(clock),
      ...(hasAnnotations ? { annotations: { ...this.#annotations } } : {}),
    });
  }
}

function objectRef(request: AuditRequest, created: string): JsonObject {
  const { resource, namespace, group, version, subresource } = request;
  const name = request.name === "" ? created : request.name;
  const given = { resource, namespace, name, apiGroup: group, apiVersion: version, subresource };
  return Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ""));
}

/** Of an error, everything that the client was told; otherwise the code. */
function statusOf(code: number, answer: Json | undefined): JsonObject {
  if (code < 400) return { metadata: {}, code };
  const reason = textAt(answer, "error", "code");
  if (reason !== "") {
    const message = textAt(answer, "error", "message");
    return { metadata: {}, status: "Failure", message, reason, code };
  }
  if (textAt(answer, "kind") !== "Status") return { metadata: {}, code };
  const { status, message, reason: why, details } = objectAt(answer);
  const parts = { status, message, reason: why, details };
  const given = Object.entries(parts).filter(([, part]) => part !== undefined);
  return { metadata: {}, ...Object.fromEntries(given as [string, Json][]), code };
}

/** What is neither JSON nor YAML is not recorded. */
function readDocument(body: Buffer | string): Json | undefined {
  const text = typeof body === "string" ? body : body.toString("utf8");
  try {
    return parseExact(text) as Json;
  } catch {
    return readYaml(text);
  }
}

function readYaml(text: string): Json | undefined {
  if (text.includes("\0")) return undefined;
  try {
    return parseYaml(text).value;
  } catch {
    // A body that nobody can read is refused by the handler; there is nothing to record of it.
    return undefined;
  }
}

function withoutManagedFields(document: Json): Json {
  if (!isJsonObject(document)) return document;
  const { metadata, items } = document;
  return {
    ...document,
    ...(isJsonObject(metadata) ? { metadata: withoutKey(metadata, "managedFields") } : {}),
    ...(isJsonArray(items) ? { items: items.map(withoutManagedFields) } : {}),
  };
}

function microTime(clock: Clock): string {
  return `${new Date(clock.nowMs()).toISOString().slice(0, -1)}000Z`;
}
