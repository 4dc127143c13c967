// Looks for mistakes in a policy that the compiler cannot see, because to it objects are anything:
// with the schemas of the kinds that a policy names, a misspelt field is found. What is found is
// advice in the status of the policy and never changes what the policy does.

import type { Json, JsonObject } from "../../../kernel/json.ts";
import type { Resource } from "../../../kernel/resource.ts";
import { celTypeOf, schemaType } from "../../../kernel/cel/schema-types.ts";
import type { CelType } from "../../../kernel/cel/types.ts";
import { compileSchema } from "../../../kernel/schema/compile.ts";
import { listAt, objectAt, textAt, textsAt, valueAt } from "../../../kernel/json-read.ts";
import type { Sliced } from "../../../kernel/sliced.ts";
import type { Found, KindRegistry } from "../../kinds/registry.ts";
import { typedExpression } from "../expression/expression.ts";
import { variableTypes } from "../expression/variables.ts";
import { variableType } from "./policy.ts";

/** Kinds that are looked at for one rule; more would say the same again. */
const maxTypes = 10;

/** As in status.typeChecking.expressionWarnings. Yields after each expression. */
export function* typeWarnings(
  policy: Resource,
  kinds: KindRegistry,
): Sliced<readonly JsonObject[]> {
  const spec = objectAt(policy, "spec");
  const params = paramType(spec, kinds);
  const hasParams = valueAt(spec, "paramKind") !== undefined;
  const expressions = expressionsOf(spec);
  const found = new Map<string, string[]>();
  for (const { name, type } of typesToCheck(spec, kinds)) {
    yield;
    const variables = yield* variablesOf(spec, { object: type, params, hasParams });
    for (const { fieldRef, expression } of expressions) {
      const { problem } = typedExpression(expression, variables);
      const lines = found.get(fieldRef) ?? [];
      if (problem !== "") found.set(fieldRef, [...lines, `${name}: ${problem}\n`]);
      yield;
    }
  }
  return expressions.flatMap(({ fieldRef }) => {
    const lines = found.get(fieldRef);
    return lines === undefined ? [] : [{ fieldRef, warning: lines.join("\n") }];
  });
}

interface CheckedExpression {
  readonly fieldRef: string;
  readonly expression: string;
}

function expressionsOf(spec: Json): readonly CheckedExpression[] {
  return listAt(spec, "validations").flatMap((validation, index) =>
    ["expression", "messageExpression"].flatMap((key) => {
      const expression = textAt(validation, key);
      if (expression === "") return [];
      return [{ fieldRef: `spec.validations[${index}].${key}`, expression }];
    }),
  );
}

interface Types {
  readonly object: CelType;
  readonly params: CelType | undefined;
  readonly hasParams: boolean;
}

/** What an expression can use; each variable of the policy may use those before it. */
function* variablesOf(
  spec: Json,
  { object, params, hasParams }: Types,
): Sliced<Readonly<Record<string, CelType>>> {
  const own = new Map<string, CelType>();
  const variables = {
    ...variableTypes({ hasParams, hasAuthorizer: true, own }),
    object,
    oldObject: object,
    ...(params === undefined ? {} : { params }),
  };
  for (const variable of listAt(spec, "variables")) {
    const { program } = typedExpression(textAt(variable, "expression"), variables);
    own.set(textAt(variable, "name"), variableType(program?.type));
    yield;
  }
  return variables;
}

interface CheckedType {
  /** As in "apps/v1, Kind=Deployment". */
  readonly name: string;
  readonly type: CelType;
}

function typesToCheck(spec: Json, kinds: KindRegistry): readonly CheckedType[] {
  const found = listAt(spec, "matchConstraints", "resourceRules").flatMap((rule) => {
    const [groups, versions] = [textsAt(rule, "apiGroups"), textsAt(rule, "apiVersions")];
    if ([...groups, ...versions].some((text) => text.includes("*"))) return [];
    const resources = textsAt(rule, "resources").filter((text) => !/[*/]/.test(text));
    return groups
      .flatMap((group) =>
        versions.flatMap((version) =>
          resources.flatMap((resource) => kinds.find(group, version, resource) ?? []),
        ),
      )
      .slice(0, maxTypes);
  });
  const byName = new Map(found.map((one) => [nameOf(one), one]));
  return [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, one]) => {
      const type = typeOf(one);
      return type === undefined ? [] : [{ name, type }];
    });
}

function paramType(spec: Json, kinds: KindRegistry): CelType | undefined {
  const apiVersion = textAt(spec, "paramKind", "apiVersion");
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const found = kinds.findKind(
    group,
    apiVersion.slice(slash + 1),
    textAt(spec, "paramKind", "kind"),
  );
  return found === undefined ? undefined : typeOf(found);
}

function typeOf({ served, version }: Found): CelType | undefined {
  const schema = schemaType(compileSchema(version.definition.schema), true);
  return schema === undefined ? undefined : celTypeOf(schema, served.kind.names.kind);
}

function nameOf({ served, version }: Found): string {
  const { group, names } = served.kind;
  return `${group}/${version.name}, Kind=${names.kind}`;
}
