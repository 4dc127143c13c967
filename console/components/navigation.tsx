import { insight } from "../api/insight.ts";
import { kindNamed } from "../api/kinds.ts";
import type { Counts } from "../api/types.ts";
import { useQuery } from "../query/query.ts";
import { sections } from "../routes.tsx";
import type { Section } from "../routes.tsx";
import { Icon } from "../ui/icon.tsx";
import { paths } from "../paths.ts";
import { currentMatch } from "./page-view.tsx";

/** The pages of the loaded modules. A number beside a page counts what has failed there. */
export function Navigation() {
  const current = currentMatch()?.route.section;
  const counted = sections.some(({ counts }) => counts !== undefined);
  const { data } = useQuery<Counts>(
    counted ? "counts" : undefined,
    async (signal) => await insight.counts({}, signal),
    { live: () => true },
  );
  const shown = sections.filter(({ kind }) => kind === undefined || kindNamed(kind) !== undefined);
  const groups = [...new Set(shown.map(({ group }) => group))].sort((one, other) => one - other);
  return (
    <nav class="nav" aria-label="Main">
      {groups.map((group) => (
        <ul key={group}>
          {shown
            .filter((section) => section.group === group)
            .map((section) => (
              <Entry
                key={section.id}
                section={section}
                isCurrent={section.id === current}
                failed={failedIn(section, data)}
              />
            ))}
        </ul>
      ))}
      <ul class="phone-only">
        <li>
          <a href={paths.settings()} aria-current={current === "settings" ? "page" : undefined}>
            <Icon name="settings" />
            Settings
          </a>
        </li>
      </ul>
    </nav>
  );
}

interface EntryProps {
  readonly section: Section;
  readonly isCurrent: boolean;
  readonly failed: number;
}

function Entry({ section: { label, icon, href }, isCurrent, failed }: EntryProps) {
  return (
    <li>
      <a href={href} aria-current={isCurrent ? "page" : undefined}>
        <Icon name={icon} />
        {label}
        {failed > 0 && (
          <span class="nav-failed t-failed" aria-label={`${failed} failed`}>
            <Icon name="failed" />
            {failed}
          </span>
        )}
      </a>
    </li>
  );
}

function failedIn({ counts: wanted = [] }: Section, data: Counts | undefined): number {
  return (data?.kinds ?? [])
    .filter(({ kind }) => wanted.includes(kind))
    .reduce((sum, { states }) => sum + (states.Failed ?? 0), 0);
}
