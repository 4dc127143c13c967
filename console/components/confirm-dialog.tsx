import { useSignal } from "@preact/signals";
import type { Answers, AskedField } from "../actions/action.ts";
import { question } from "../actions/question.ts";
import type { Question } from "../actions/question.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** The question of the action that waits for an answer. */
export function ConfirmDialog() {
  const open = question.value;
  return open === undefined ? null : <Asked question={open} />;
}

function Asked({ question: { action, subjects, impact, answer } }: { question: Question }) {
  const typed = useSignal("");
  const { title, consequences, typed: wanted, fields = [] } = impact;
  const entered = useSignal<Answers>(
    Object.fromEntries(fields.map((field) => [field.id, firstValue(field)])),
  );
  const missing = fields.find(
    ({ id, isOptional }) => isOptional !== true && (entered.value[id] ?? "").trim() === "",
  );
  const isTyped = wanted === undefined || typed.value.trim() === wanted;
  const off = missing !== undefined ? `${missing.label} is missing.` : typeFirst(wanted, isTyped);
  const names = subjects.map(({ name }) => name);
  const finish = (): void => {
    if (off === undefined) answer(entered.value);
  };
  return (
    <Dialog
      title={title}
      onClose={() => answer(undefined)}
      foot={
        <>
          <Button onClick={() => answer(undefined)}>Cancel</Button>
          <Button look={action.isDanger === true ? "danger" : "main"} off={off} onClick={finish}>
            {action.label}
          </Button>
        </>
      }
    >
      {consequences.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {names.length > 1 && <p class="mono small muted">{names.slice(0, 20).join(", ")}</p>}
      {(wanted !== undefined || fields.length > 0) && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            finish();
          }}
        >
          {fields.map((field) => (
            <EnteredField
              key={field.id}
              field={field}
              value={entered.value[field.id] ?? ""}
              onChange={(value) => (entered.value = { ...entered.peek(), [field.id]: value })}
            />
          ))}
          {wanted !== undefined && (
            <label class="field">
              <span>
                Type <code>{wanted}</code> to confirm
              </span>
              <input
                class="input mono"
                autoComplete="off"
                spellcheck={false}
                value={typed.value}
                onInput={(event) => {
                  typed.value = event.currentTarget.value;
                }}
              />
            </label>
          )}
        </form>
      )}
    </Dialog>
  );
}

function typeFirst(wanted: string | undefined, isTyped: boolean): string | undefined {
  return isTyped ? undefined : `Type ${wanted} first.`;
}

function firstValue({ value, choices }: AskedField): string {
  return value ?? choices?.[0]?.value ?? "";
}

interface FieldProps {
  readonly field: AskedField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function EnteredField({
  field: { label, help, choices, isOptional },
  value,
  onChange,
}: FieldProps) {
  return (
    <label class="field">
      <span>
        {label} {isOptional === true && <span class="muted">(optional)</span>}
      </span>
      {choices === undefined ? (
        <input
          class="input"
          autoComplete="off"
          maxLength={1_000}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <select
          class="input"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} disabled={choice.isOff}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
      {help !== undefined && <small class="muted small">{help}</small>}
    </label>
  );
}
