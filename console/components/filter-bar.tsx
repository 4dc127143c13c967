// One text for all filters: `state:failed label:tier=gold web`. It is kept in the URL; typing
// replaces the entry of the history, and Enter keeps one.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../ui/icon.tsx";
import "./filter-bar.css";

interface FilterProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly label: string;
  readonly placeholder?: string;
  /** What is wrong with the text. */
  readonly error?: string | undefined;
  readonly suggestions?: readonly string[];
}

const typingMs = 250;

export function FilterBar(props: FilterProps) {
  const { value, onChange, label, placeholder, error, suggestions = [] } = props;
  const text = useSignal(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (timer.current === undefined) text.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: string, delayMs: number): void => {
    text.value = next;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      onChange(next.trim());
    }, delayMs);
  };
  return (
    <form
      class="filter"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        change(text.value, 0);
      }}
    >
      <Icon name="search" />
      <input
        type="search"
        class="input mono filter-input"
        data-filter
        aria-label={label}
        aria-invalid={error === undefined ? undefined : "true"}
        placeholder={placeholder}
        autoComplete="off"
        spellcheck={false}
        list={suggestions.length === 0 ? undefined : "filter-words"}
        value={text.value}
        onInput={(event) => change(event.currentTarget.value, typingMs)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && text.value !== "") change("", 0);
        }}
      />
      {suggestions.length > 0 && (
        <datalist id="filter-words">
          {suggestions.map((word) => (
            <option key={word} value={word} />
          ))}
        </datalist>
      )}
      {error !== undefined && (
        <p class="filter-error t-failed small" role="alert">
          {error}
        </p>
      )}
    </form>
  );
}
