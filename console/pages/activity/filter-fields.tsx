// The filter of the timeline: fields with labels. Each value is in the URL.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { TimelineEntry } from "../../api/insight.ts";
import { kinds } from "../../api/kinds.ts";
import { withQuery } from "../../paths.ts";
import { navigate, place } from "../../router/location.ts";
import { zone } from "../../settings/settings.ts";
import { Button } from "../../ui/button.tsx";
import { isFiltered, noFilter, resourceText } from "./filter.ts";
import type { TimelineFilter } from "./filter.ts";
import { fieldTime, timeOfField } from "./field-time.ts";

interface FilterProps {
  readonly filter: TimelineFilter;
  /** Their actors and resources are suggested. */
  readonly entries: readonly TimelineEntry[];
}

const outcomes = [
  ["", "All"],
  ["created", "Created"],
  ["updated", "Changed"],
  ["deleted", "Deleted"],
  ["erased", "Erased"],
  ["warning", "Warnings"],
  ["normal", "Other Events"],
] as const;

const spans = [
  ["", "Any time"],
  ["15", "Last 15 minutes"],
  ["60", "Last hour"],
  ["1440", "Last 24 hours"],
  ["between", "Between"],
] as const;

type Changes = Readonly<Record<string, string | undefined>>;

function change(changes: Changes, replace = false): void {
  navigate(withQuery(place.peek().href, changes), { replace });
}

export function FilterFields({ filter, entries }: FilterProps) {
  const { actor, resource, outcome, last, from, to } = filter;
  const isBetween = useSignal(from !== "" || to !== "");
  const actors = unique(entries.map(({ cause }) => cause?.actor ?? ""));
  const resources = unique([
    ...entries.map(resourceText),
    ...(kinds.value ?? []).map(({ kind }) => kind),
  ]);
  const span = isBetween.value || from !== "" || to !== "" ? "between" : last;
  return (
    <div class="timeline-filter" role="search" aria-label="Filter the timeline">
      <Words
        label="Actor"
        name="actor"
        value={actor}
        choices={actors}
        placeholder="admin"
        isFirst
      />
      <Words
        label="Resource"
        name="resource"
        value={resource}
        choices={resources}
        placeholder="Database/orders"
      />
      <Select
        label="Outcome"
        value={outcome}
        options={outcomes}
        onChange={(value) => change({ outcome: value })}
      />
      <Select
        label="Time"
        value={span}
        options={spans}
        onChange={(value) => {
          isBetween.value = value === "between";
          change({ last: value === "between" ? "" : value, from: "", to: "" });
        }}
      />
      {span === "between" && (
        <>
          <Instant label="From" value={from} onChange={(value) => change({ from: value })} />
          <Instant label="To" value={to} onChange={(value) => change({ to: value })} />
        </>
      )}
      <Switches
        filter={filter}
        onClear={() => {
          isBetween.value = false;
        }}
      />
    </div>
  );
}

interface SwitchesProps {
  readonly filter: TimelineFilter;
  readonly onClear: () => void;
}

function Switches({ filter, onClear }: SwitchesProps) {
  const { by, trace } = filter;
  return (
    <div class="timeline-switches">
      <Button
        isPressed={by === "users"}
        onClick={() => change({ by: by === "users" ? undefined : "users" })}
      >
        Users only
      </Button>
      {trace !== "" && (
        <Button icon="close" onClick={() => change({ trace: undefined })}>
          Trace <span class="mono">{trace.slice(0, 8)}</span>
        </Button>
      )}
      {isFiltered(filter) && (
        <Button
          look="link"
          onClick={() => {
            onClear();
            change(noFilter);
          }}
        >
          Clear filter
        </Button>
      )}
    </div>
  );
}

interface WordsProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly choices: readonly string[];
  readonly placeholder: string;
  readonly isFirst?: boolean;
}

const typingMs = 400;

function Words({ label, name, value, choices, placeholder, isFirst = false }: WordsProps) {
  const text = useSignal(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (timer.current === undefined) text.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (): void => {
    clearTimeout(timer.current);
    timer.current = undefined;
    change({ [name]: text.peek().trim() }, true);
  };
  const type = (next: string): void => {
    text.value = next;
    clearTimeout(timer.current);
    timer.current = setTimeout(apply, typingMs);
  };
  return (
    <Field label={label}>
      <input
        class="input mono"
        type="search"
        {...(isFirst ? { "data-filter": true } : {})}
        list={`timeline-${name}`}
        placeholder={placeholder}
        autoComplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => type(event.currentTarget.value)}
        onBlur={apply}
      />
      <datalist id={`timeline-${name}`}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </Field>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, word: string])[];
  readonly onChange: (value: string) => void;
}

function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <Field label={label}>
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([id, word]) => (
          <option key={id} value={id}>
            {word}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface InstantProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Instant({ label, value, onChange }: InstantProps) {
  return (
    <Field label={label}>
      <input
        class="input"
        type="datetime-local"
        step={1}
        value={fieldTime(value, zone.value)}
        onChange={(event) => onChange(timeOfField(event.currentTarget.value, zone.value))}
      />
    </Field>
  );
}

function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // oxlint-disable-next-line jsx-a11y/label-has-associated-control -- the control is the child
    <label class="field">
      <span>{label}</span>
      {children}
    </label>
  );
}

const mostChoices = 200;

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)].filter((word) => word !== "").slice(0, mostChoices);
}
