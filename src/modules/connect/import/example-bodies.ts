// The bodies in the examples of a resource's operations, taken out of their envelopes. In files of
// x-ms-examples the body is the parameter that the operation takes as such; OpenAPI has the bodies
// themselves.

import { isJsonObject } from "../../../kernel/json.ts";
import type { Json } from "../../../kernel/json.ts";
import { objectAt, valueAt } from "../../../kernel/json-read.ts";
import { exampleUse, unwrapped } from "../fields/examples.ts";
import type { ExampleUse } from "../fields/examples.ts";
import type { ResourceTrees } from "../fields/field-table.ts";
import { below } from "../document/place.ts";
import { isJsonArray } from "../../../kernel/json.ts";
import type { ServiceOperation } from "./operations.ts";
import type { ResourceOperations } from "./describe.ts";

export function resourceExamples(
  { read, create, replace, patch }: ResourceOperations,
  trees: ResourceTrees,
  answerPointer: string,
  bodyPointer: string,
): ExampleUse {
  const writes = new Set([create, replace, patch].filter((one) => one !== undefined));
  const all = new Set([...writes, read].filter((one) => one !== undefined));
  const requests = [...writes].flatMap((one) => requestsOf(one));
  const answers = [...all].flatMap((one) => answersOf(one));
  const bodies = {
    requests: requests.map((body) => unwrapped(body, bodyPointer)),
    answers: answers.map((body) => unwrapped(body, answerPointer)),
  };
  const known = [trees.read, trees.create, trees.replace].filter((tree) => tree !== undefined);
  return exampleUse(bodies, [...new Set(known)]);
}

function requestsOf(operation: ServiceOperation): readonly Json[] {
  const inline = operation.body?.examples ?? [];
  const names = new Set(operation.parameters.map(({ name }) => name));
  const bodyName = bodyNameOf(operation);
  const files = operation.examples.flatMap(({ node }) => {
    const parameters = objectAt(node, "parameters");
    const named = bodyName === undefined ? undefined : valueAt(parameters, bodyName);
    if (named !== undefined) return [named];
    // Examples are careless about what the body is called.
    return Object.entries(parameters).flatMap(([name, value]) =>
      isJsonObject(value) && !names.has(name) ? [value] : [],
    );
  });
  return [...inline, ...files];
}

function bodyNameOf({ place }: ServiceOperation): string | undefined {
  const list = below(place, "parameters")?.node;
  if (!isJsonArray(list)) return undefined;
  const body = list.find((item) => valueAt(item, "in") === "body");
  const name = valueAt(body, "name");
  return typeof name === "string" ? name : undefined;
}

function answersOf(operation: ServiceOperation): readonly Json[] {
  const inline = operation.answers
    .filter(({ status }) => status.startsWith("2"))
    .flatMap(({ examples }) => examples);
  const files = operation.examples.flatMap(({ node }) =>
    ["200", "201"].flatMap((status) => valueAt(node, "responses", status, "body") ?? []),
  );
  return [...inline, ...files];
}
