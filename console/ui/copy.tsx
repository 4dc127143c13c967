import { useSignal } from "@preact/signals";
import { Button } from "./button.tsx";

interface CopyProps {
  readonly text: string | (() => string);
  readonly label: string;
  /** Shown as text; without it, the button has an icon only. */
  readonly word?: string;
  readonly isLink?: boolean;
}

const shownMs = 1_500;

export function Copy({ text, label, word, isLink = false }: CopyProps) {
  const isDone = useSignal(false);
  const copy = async (): Promise<void> => {
    await copyText(typeof text === "string" ? text : text());
    isDone.value = true;
    setTimeout(() => {
      isDone.value = false;
    }, shownMs);
  };
  const shown = word === undefined ? {} : { children: isDone.value ? "Copied" : word };
  return (
    <Button
      {...(isLink ? {} : { icon: isDone.value ? ("check" as const) : ("copy" as const) })}
      label={isDone.value ? "Copied" : nameOf(label, word)}
      look={isLink ? "link" : word === undefined ? "quiet" : "plain"}
      onClick={() => void copy()}
      {...shown}
    />
  );
}

/** Users of speech input say the word that they see. */
function nameOf(label: string, word = ""): string {
  return label.includes(word) ? label : `${word}: ${label}`;
}

export async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
