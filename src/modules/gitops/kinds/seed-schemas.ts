// The schemas of managed-gitops.redhat.com/v1alpha1, field for field as managed-gitops has them.

import type { JsonObject } from "../../../kernel/json.ts";
import { choice, object } from "../../../kernel/schema-parts.ts";

const text: JsonObject = { type: "string" };
const flag: JsonObject = { type: "boolean" };
const integer: JsonObject = { type: "integer", format: "int64" };
const time: JsonObject = { type: "string", format: "date-time" };

const source = object({ path: text, repoURL: text, targetRevision: text }, ["path", "repoURL"]);
const health = object({ status: text, message: text });

const syncOperation = object({
  dryRun: flag,
  manifests: list(text),
  prune: flag,
  resources: list(
    object({ group: text, kind: text, name: text, namespace: text }, ["kind", "name"]),
  ),
  revision: text,
  revisions: list(text),
  source,
  sources: list(source),
  syncOptions: list(text),
  syncStrategy: object({ apply: object({ force: flag }), hook: object({ force: flag }) }),
});

const operation = object({
  info: list(object({ name: text, value: text }, ["name", "value"])),
  initiatedBy: object({ automated: flag, username: text }),
  retry: object({
    backoff: object({ duration: text, factor: integer, maxDuration: text }),
    limit: integer,
  }),
  sync: syncOperation,
});

const syncResult = object(
  {
    managedNamespaceMetadata: object({ annotations: texts(), labels: texts() }),
    resources: list(
      object(
        {
          group: text,
          version: text,
          kind: text,
          namespace: text,
          name: text,
          status: text,
          message: text,
          hookType: text,
          hookPhase: text,
          syncPhase: text,
        },
        ["group", "kind", "name", "namespace", "version"],
      ),
    ),
    revision: text,
    revisions: list(text),
    source,
    sources: list(source),
  },
  ["revision"],
);

const deploymentStatus = object(
  {
    conditions: list(
      object(
        {
          lastProbeTime: time,
          lastTransitionTime: time,
          message: text,
          reason: text,
          status: text,
          type: text,
        },
        ["status", "type"],
      ),
    ),
    health,
    operationState: object(
      {
        finishedAt: time,
        message: text,
        operation,
        phase: text,
        retryCount: integer,
        startedAt: time,
        syncResult,
      },
      ["operation", "phase", "startedAt"],
    ),
    reconciledState: object(
      {
        destination: object({ name: text, namespace: text }, ["name", "namespace"]),
        source: object({ branch: text, path: text, repoURL: text }, ["branch", "path", "repoURL"]),
      },
      ["destination", "source"],
    ),
    resources: list(
      object({
        group: text,
        health,
        kind: text,
        name: text,
        namespace: text,
        status: text,
        version: text,
      }),
    ),
    sync: object({ revision: text, status: text }, ["status"]),
  },
  ["reconciledState"],
);

export const seedDeployment = document(
  object(
    {
      destination: object({ environment: text, namespace: text }),
      source,
      syncPolicy: object({ syncOptions: list(text) }),
      type: text,
    },
    ["source", "type"],
  ),
  deploymentStatus,
);

export const seedSyncRun = document(
  object({ gitopsDeploymentName: text, revisionID: text }, ["gitopsDeploymentName"]),
  object({
    conditions: list(
      object({ lastTransitionTime: time, message: text, reason: text, status: text, type: text }, [
        "message",
        "reason",
        "status",
        "type",
      ]),
    ),
  }),
);

/** Condition of the library of Kubernetes. */
const condition = object(
  {
    lastTransitionTime: time,
    message: { ...text, maxLength: 32_768 },
    observedGeneration: { ...integer, minimum: 0 },
    reason: {
      ...text,
      maxLength: 1_024,
      minLength: 1,
      pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    },
    status: choice("True", "False", "Unknown"),
    type: {
      ...text,
      maxLength: 316,
      pattern:
        "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?" +
        "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    },
  },
  ["lastTransitionTime", "message", "reason", "status", "type"],
);

export const seedCredential = document(
  object({ repository: text, secret: text }, ["repository", "secret"]),
  object({ conditions: list(condition) }),
);

export const seedEnvironment = document(
  object(
    {
      allowInsecureSkipTLSVerify: flag,
      apiURL: text,
      clusterResources: flag,
      createNewServiceAccount: flag,
      credentialsSecret: text,
      namespaces: list(text),
    },
    ["allowInsecureSkipTLSVerify", "apiURL", "credentialsSecret"],
  ),
  object({ conditions: list(condition) }),
);

export const seedOperation = document(object({ operationID: text }), { type: "object" });

function list(items: JsonObject): JsonObject {
  return { type: "array", items };
}

function texts(): JsonObject {
  return { type: "object", additionalProperties: text };
}

function document(spec: JsonObject, status: JsonObject): JsonObject {
  return object({ apiVersion: text, kind: text, metadata: { type: "object" }, spec, status });
}
