import { useSignal } from "@preact/signals";
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
  const { title, consequences, typed: wanted } = impact;
  const isReady = wanted === undefined || typed.value.trim() === wanted;
  const off = isReady ? undefined : `Type ${wanted} first.`;
  const names = subjects.map(({ name }) => name);
  return (
    <Dialog
      title={title}
      onClose={() => answer(false)}
      foot={
        <>
          <Button onClick={() => answer(false)}>Cancel</Button>
          <Button
            look={action.isDanger === true ? "danger" : "main"}
            off={off}
            onClick={() => answer(true)}
          >
            {action.label}
          </Button>
        </>
      }
    >
      {consequences.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {names.length > 1 && <p class="mono small muted">{names.slice(0, 20).join(", ")}</p>}
      {wanted !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady) answer(true);
          }}
        >
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
        </form>
      )}
    </Dialog>
  );
}
