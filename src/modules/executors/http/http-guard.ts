// Admission of HttpCalls: URLs, expressions and headers that cannot work are refused.

import type { AdmissionPlugin } from "../../../intents/admission/admission.ts";
import { invalidField } from "../../../kernel/field-error.ts";
import type { FieldError } from "../../../kernel/field-error.ts";
import { objectAt, objectsAt, textAt } from "../../../kernel/json-read.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { expressionErrors } from "../target/expressions.ts";
import { isSpecWritten, refuseFields } from "../target/spec-written.ts";
import { httpCallsKind } from "./http-kind.ts";

export const httpGuard: AdmissionPlugin = {
  name: "HttpCall",
  validate: (request) => {
    const { target, object } = request;
    if (object === undefined || target.served.id !== httpCallsKind) return;
    if (isSpecWritten(request)) refuseFields(request, callErrors(object));
  },
};

function callErrors(call: Resource): readonly FieldError[] {
  const endpoints = objectsAt(call, "spec", "statusEndpoints");
  return [
    ...urlErrors(textAt(call, "spec", "url"), "spec.url"),
    ...["outputs", "secretOutputs"].flatMap((field) =>
      expressionErrors(objectAt(call, "spec", field), "response", `spec.${field}`),
    ),
    ...["headers", "secretHeaders"].flatMap((field) => headerErrors(call, field)),
    ...endpoints.flatMap((endpoint, index) => {
      const url = textAt(endpoint, "url");
      return url === "" ? [] : urlErrors(url, `spec.statusEndpoints[${index}].url`);
    }),
    ...endpoints.flatMap(({ healthyWhen }, index) => {
      const expressions = healthyWhen === undefined ? {} : { healthyWhen };
      return expressionErrors(expressions, "response", `spec.statusEndpoints[${index}]`);
    }),
  ];
}

function urlErrors(text: string, field: string): readonly FieldError[] {
  if (!URL.canParse(text)) return [invalidField(field, text, "is not a valid URL")];
  const { username, password } = new URL(text);
  if (username === "" && password === "") return [];
  return [invalidField(field, "[hidden]", "must not contain credentials: use secretHeaders")];
}

/** Headers that the connection sets itself. */
const own = new Set(["host", "content-length", "transfer-encoding", "connection", "upgrade"]);
const namePattern = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

function headerErrors(call: Resource, field: string): readonly FieldError[] {
  const headers = objectAt(call, "spec", field);
  return Object.keys(headers).flatMap((name) => {
    const isName = namePattern.test(name) && !own.has(name.toLowerCase());
    if (!isName) return [invalidField(`spec.${field}`, name, "is not a header that can be set")];
    const isValue = /^[\u0020-\u007e\t]*$/.test(textAt(headers, name));
    const detail = "the value has characters other than printable ASCII";
    return isValue ? [] : [invalidField(`spec.${field}`, name, detail)];
  });
}
