// Which namespace lists are about. The server searches; the choice is `ns` in the URL.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { insight } from "../api/insight.ts";
import { useQuery } from "../query/query.ts";
import { navigate, place } from "../router/location.ts";
import { lastNamespace } from "../settings/settings.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { withQuery } from "../paths.ts";
import { currentMatch } from "./page-view.tsx";

/** Empty: all. A page about one resource shows the namespace of that. */
export function currentNamespace(): string {
  const { namespace } = currentMatch()?.params ?? {};
  if (namespace !== undefined) return namespace === "-" ? "" : namespace;
  return place.value.query.get("ns") ?? lastNamespace.value;
}

export function NamespaceSwitch() {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const shown = currentNamespace();
  useEffect(() => {
    if (!isOpen.value) return undefined;
    const close = (event: Event): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) === true) return;
      isOpen.value = false;
    };
    document.addEventListener("pointerdown", close);
    return () => document.removeEventListener("pointerdown", close);
  }, [isOpen.value]);
  const choose = (namespace: string): void => {
    isOpen.value = false;
    lastNamespace.value = namespace;
    navigate(hrefIn(namespace));
  };
  return (
    <div
      ref={root}
      class="menu wide-only"
      onKeyDown={(event) => {
        if (event.key === "Escape") isOpen.value = false;
      }}
    >
      <Button
        hasPopup="listbox"
        expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <span class="muted">Namespace</span>{" "}
        <span class="clip namespace-name">{shown || "all"}</span>
        <Icon name="down" />
      </Button>
      {isOpen.value && <Choices shown={shown} onChoose={choose} />}
    </div>
  );
}

/** The page of a single resource belongs to its namespace, so the list of its kind is opened. */
function hrefIn(namespace: string): string {
  const { params, route } = currentMatch() ?? { params: {}, route: undefined };
  const { kind, namespace: own } = params as Readonly<Record<string, string>>;
  const crumbs = route?.crumbs(params) ?? [];
  const parent = own === undefined ? undefined : crumbs.find(({ href }) => href !== undefined);
  const list = kind === undefined ? parent?.href : crumbs[1]?.href;
  const href = own === undefined ? place.peek().href : (list ?? place.peek().href);
  return withQuery(href, { ns: namespace });
}

const mostShown = 20;

interface ChoicesProps {
  readonly shown: string;
  readonly onChoose: (namespace: string) => void;
}

function Choices({ shown, onChoose }: ChoicesProps) {
  const text = useSignal("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const wanted = text.value.trim();
  const { data } = useQuery(`namespaces ${wanted}`, async (signal) => {
    const filter = wanted === "" ? {} : { filter: `name~${JSON.stringify(wanted)}` };
    return await insight.rows({ kind: "namespaces", limit: mostShown, ...filter }, signal);
  });
  const names = data?.items.map(({ name }) => name) ?? [];
  return (
    <div class="menu-list">
      <input
        ref={field}
        class="input"
        type="search"
        aria-label="Search namespaces"
        placeholder="Search"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && names[0] !== undefined) onChoose(names[0]);
        }}
      />
      {["", ...names].map((name) => (
        <button
          key={name}
          type="button"
          class="menu-item"
          aria-pressed={name === shown}
          onClick={() => onChoose(name)}
        >
          <span class="menu-word">{name === "" ? "All namespaces" : name}</span>
          {name === shown && <Icon name="check" />}
        </button>
      ))}
      {data?.next !== undefined && <p class="muted small menu-note">Type to find more.</p>}
    </div>
  );
}
