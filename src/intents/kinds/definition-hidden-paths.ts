// Fields that are never shown must not be found out in other ways: a selector on one answers
// whether a guess is right, and a scale shows what stands at its paths. A rule of one version
// holds for the same path in all of them. Printer columns need no check: they are filled from
// what is shown.

import { forbiddenField } from "../../kernel/field-error.ts";
import type { FieldError } from "../../kernel/field-error.ts";
import { getOwn, isJsonObject } from "../../kernel/json.ts";
import { objectsAt, textAt } from "../../kernel/json-read.ts";
import type { CompiledFieldRule } from "../../kernel/kind.ts";
import { parsePointer } from "../../kernel/pointer.ts";
import { touchesHidden } from "../write/hidden-fields.ts";
import { fieldRulesOf } from "./definition-field-rules.ts";
import { schemaIn } from "./definition-internal-form.ts";
import type { InternalForm, Parts } from "./definition-internal-form.ts";

export function hiddenPathErrors({ top, versions }: InternalForm): readonly FieldError[] {
  const all = [top, ...versions.map(({ parts }) => parts)];
  const fieldRules = all.flatMap(rulesIn);
  return all.flatMap((parts, index) => {
    const at = index === 0 ? "spec" : `spec.versions[${index - 1}]`;
    return pathsIn(parts, at)
      .filter(({ path }) => touchesHidden({ fieldRules }, path.slice(1).split(".")))
      .map(({ field }) => forbiddenField(field, "must not point to a hidden field"));
  });
}

function rulesIn(parts: Parts): readonly CompiledFieldRule[] {
  const rules = fieldRulesOf(schemaIn(parts) ?? {});
  return rules.map(({ path, rule }) => ({ path, rule, segments: parsePointer(path) }));
}

interface FieldPath {
  /** Where the definition says it. */
  readonly field: string;
  /** As in ".spec.replicas". */
  readonly path: string;
}

function pathsIn({ selectableFields, subresources }: Parts, at: string): readonly FieldPath[] {
  const selectable = objectsAt({ selectableFields: selectableFields ?? null }, "selectableFields");
  const scale = isJsonObject(subresources) ? getOwn(subresources, "scale") : undefined;
  const scaleKeys = ["specReplicasPath", "statusReplicasPath", "labelSelectorPath"];
  return [
    ...selectable.map((one, index) => ({
      field: `${at}.selectableFields[${index}].jsonPath`,
      path: textAt(one, "jsonPath"),
    })),
    ...(isJsonObject(scale)
      ? scaleKeys.map((key) => ({
          field: `${at}.subresources.scale.${key}`,
          path: textAt(scale, key),
        }))
      : []),
  ].filter(({ path }) => path !== "");
}
