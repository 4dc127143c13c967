// Checks the form of a route of a user module when the module is loaded, so that a mistake is found
// before the first request.

import { unknownField } from "../../../kernel/unknown-field.ts";
import type { OwnRoute } from "./own-route.ts";

const classes: readonly unknown[] = ["public", "admin", "agent"];
const methods: readonly unknown[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const segment = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*|\{[a-z][A-Za-z0-9_]*\})$/;

const knownFields: Readonly<Record<keyof OwnRoute, true>> = {
  class: true,
  method: true,
  path: true,
  summary: true,
  description: true,
  parameters: true,
  query: true,
  body: true,
  answers: true,
  handle: true,
};

/** Starts with the field; undefined when the route is valid. */
export function routeProblem(given: unknown, field: string): string | undefined {
  if (typeof given !== "object" || given === null) return `${field} must be a route`;
  const unknown = unknownField(`${field}.`, given, Object.keys(knownFields));
  if (unknown !== undefined) return unknown;
  const route = given as Readonly<Record<string, unknown>>;
  if (!classes.includes(route["class"])) {
    return `${field}.class must be one of ${classes.join(", ")}`;
  }
  if (!methods.includes(route["method"])) {
    return `${field}.method must be one of ${methods.join(", ")}`;
  }
  if (typeof route["summary"] !== "string" || route["summary"] === "") {
    return `${field}.summary must be a line of text`;
  }
  if (typeof route["handle"] !== "function") return `${field}.handle must be a function`;
  return (
    pathProblem(route["path"], `${field}.path`, route["class"] as OwnRoute["class"]) ??
    bodyProblem(route, field) ??
    answersProblem(route["answers"], `${field}.answers`)
  );
}

function pathProblem(path: unknown, field: string, apiClass: string): string | undefined {
  if (typeof path !== "string" || !path.startsWith("/") || path === "/") {
    return `${field} must begin with a slash and a segment, such as /dinosaurs/{id}/feedings`;
  }
  const segments = path.slice(1).split("/");
  const wrong = segments.find((each) => !segment.test(each));
  if (wrong !== undefined) {
    return `${field} has the segment "${wrong}", which is neither a word nor {parameter}`;
  }
  const parameters = segments.filter((each) => each.startsWith("{"));
  if (new Set(parameters).size !== parameters.length) return `${field} has a parameter twice`;
  if (apiClass === "agent" && segments[0] !== "{cluster}") {
    return `${field} of the class agent must begin with /{cluster}/, the cluster of the agent`;
  }
  return undefined;
}

function bodyProblem(route: Readonly<Record<string, unknown>>, field: string): string | undefined {
  const { method, body, query, parameters } = route;
  const objects = { body, query, parameters };
  for (const [name, value] of Object.entries(objects)) {
    const isObject = typeof value === "object" && value !== null;
    if (value !== undefined && !isObject) return `${field}.${name} must be an object`;
  }
  if (body !== undefined && (method === "GET" || method === "DELETE")) {
    return `${field}.body is not possible with the method ${method}`;
  }
  return undefined;
}

function answersProblem(answers: unknown, field: string): string | undefined {
  const entries = typeof answers === "object" && answers !== null ? Object.entries(answers) : [];
  if (entries.length === 0) return `${field} must describe at least one successful answer`;
  for (const [status, answer] of entries) {
    if (!/^2\d\d$/.test(status)) return `${field}.${status} must be a status from 200 to 299`;
    const { description } = Object(answer) as { readonly description?: unknown };
    if (typeof description !== "string") return `${field}.${status}.description must be a text`;
  }
  return undefined;
}
