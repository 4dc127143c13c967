// The fields of a schema. Fields with fields of their own are opened by the user, so that a schema
// that contains itself ends.

import { useSignal } from "@preact/signals";
import type { JsonRecord } from "../../api/types.ts";
import { Icon } from "../../ui/icon.tsx";
import { textAt } from "./json.ts";
import { Meaning } from "./rich-text.tsx";
import { fieldsOf, resolved, ruleText, typeText } from "./schema.ts";
import type { Field } from "./schema.ts";

interface SchemaProps {
  readonly root: JsonRecord;
  readonly schema: JsonRecord;
}

export function SchemaFields({ root, schema }: SchemaProps) {
  const fields = fieldsOf(root, schema);
  if (fields.length === 0) {
    const description = textAt(resolved(root, schema), "description");
    return (
      <p class="muted fields-none">
        <code>{typeText(root, schema)}</code>{" "}
        <Meaning description={description} rules={ruleText(root, schema)} />
      </p>
    );
  }
  return (
    <ul class="fields">
      {fields.map((field) => (
        <FieldLine key={field.name} root={root} field={field} />
      ))}
    </ul>
  );
}

function FieldLine({ root, field }: { root: JsonRecord; field: Field }) {
  const isOpen = useSignal(false);
  const { name, isRequired, schema } = field;
  const found = resolved(root, schema);
  const hasFields = fieldsOf(root, schema).length > 0;
  const description = textAt(schema, "description") || textAt(found, "description");
  return (
    <li class="field-line">
      <div class="field-name">
        {hasFields ? (
          <button
            type="button"
            class="field-toggle"
            aria-expanded={isOpen.value}
            onClick={() => {
              isOpen.value = !isOpen.value;
            }}
          >
            <Icon name={isOpen.value ? "down" : "right"} />
            <code>{name}</code>
          </button>
        ) : (
          <code>{name}</code>
        )}
        <span class="muted small">{typeText(root, schema)}</span>
        {isRequired && <span class="required small">required</span>}
      </div>
      <div class="muted field-text">
        <Meaning description={description} rules={ruleText(root, schema)} />
      </div>
      {isOpen.value && (
        <div class="field-inner">
          <SchemaFields root={root} schema={schema} />
        </div>
      )}
    </li>
  );
}
