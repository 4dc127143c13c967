import type { RestKind } from "../../api/connect.ts";
import { kindNamed } from "../../api/kinds.ts";
import { Icon } from "../../ui/icon.tsx";
import { withQuery } from "../../paths.ts";
import { navigate, place } from "../../router/location.ts";
import { restKindLook } from "./looks.ts";

interface KindListProps {
  readonly restKinds: readonly RestKind[];
  readonly current: string;
}

/** The kinds of a connection as links; on a phone, a list to choose from. */
export function KindList({ restKinds, current }: KindListProps) {
  const hrefOf = (kind: string): string =>
    withQuery(place.value.href, { kind, q: undefined, of: undefined });
  return (
    <>
      <label class="field phone-only">
        <span>Kind</span>
        <select
          class="input"
          value={current}
          onChange={(event) => navigate(hrefOf(event.currentTarget.value))}
        >
          {restKinds.map(({ metadata: { name } }) => (
            <option key={name} value={name}>
              {kindNamed(name)?.kind ?? name}
            </option>
          ))}
        </select>
      </label>
      <nav class="kind-list wide-only" aria-label="Kinds">
        {restKinds.map((restKind) => {
          const { name } = restKind.metadata;
          const { tone, word } = restKindLook(restKind);
          return (
            <a key={name} href={hrefOf(name)} aria-current={name === current ? "page" : undefined}>
              <span class={`t-${tone}`} title={word}>
                <Icon name={tone} />
              </span>
              <span class="clip">{kindNamed(name)?.kind ?? name}</span>
            </a>
          );
        })}
      </nav>
    </>
  );
}
