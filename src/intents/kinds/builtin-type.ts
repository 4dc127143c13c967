// The type of the built-in kinds. Their values are judged by their rules, which say more than a
// schema can and in the words that clients know; the schema only tells which fields there are.

import { objectType } from "../../kernel/apply/type-schema.ts";
import { apiVersionOf } from "../../kernel/kind.ts";
import type { Kind, KindVersion } from "../../kernel/kind.ts";
import type { Resource } from "../../kernel/resource.ts";
import { compileSchema } from "../../kernel/schema/compile.ts";
import { messageOf } from "../builtin/catalogue.ts";
import { normalDocument } from "../builtin/normal-form.ts";
import type { KindRules } from "../builtin/rules.ts";
import { checkTypes } from "../builtin/typed-decoding.ts";
import { unknownSchemaFields } from "../builtin/unknown-schema-fields.ts";
import { pruneDocument } from "./compiled-type.ts";
import type { CompiledType } from "./compiled-type.ts";

export function builtinType(
  kind: Kind,
  { name, schema: json }: KindVersion,
  rules: KindRules | undefined,
): CompiledType {
  const schema = compileSchema(json);
  const message = messageOf(apiVersionOf(kind, name), kind.names.kind);
  const withDefaults = (resource: Resource): Resource => {
    const defaulted = rules?.defaulting?.(resource) ?? resource;
    if (message === undefined) return defaulted;
    return normalDocument(message, defaulted) as unknown as Resource;
  };
  const empty = { apiVersion: apiVersionOf(kind, name), kind: kind.names.kind };
  const hasSchemas = kind.names.kind === "CustomResourceDefinition";
  return {
    applyType: objectType(json),
    schema,
    skeleton: message === undefined ? empty : normalDocument(message, empty),
    prune: (resource) => {
      checkTypes(resource);
      const known = pruneDocument(schema, resource);
      const isSchema = message !== undefined && hasSchemas;
      const more = isSchema ? unknownSchemaFields(message, resource) : [];
      if (known.unknown.length + more.length === 0) return known;
      return { ...known, unknown: [...known.unknown, ...more].sort() };
    },
    withDefaults,
    withDefaultsMerged: withDefaults,
    validate: () => [],
  };
}
