import { useEffect } from "preact/hooks";
import { currentMatch } from "./page-view.tsx";

/** Where the window is narrow, long labels are cut and short ones are not. */
const longChars = 20;

/** The way to this page, from the route table. */
export function Crumbs() {
  const matched = currentMatch();
  const crumbs = matched?.route.crumbs(matched.params) ?? [];
  const title = crumbs.at(-1)?.label ?? "Not found";
  useEffect(() => {
    document.title = `${title} · Setpoint`;
  }, [title]);
  return (
    <nav class="crumbs" aria-label="Path">
      <ol>
        {crumbs.map(({ label, href }, at) => {
          const isLast = at === crumbs.length - 1;
          return (
            <li key={label + String(at)} class={classOf(label, isLast)}>
              {href === undefined || isLast ? (
                <b aria-current={isLast ? "page" : undefined}>{label}</b>
              ) : (
                <a href={href}>{label}</a>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

function classOf(label: string, isLast: boolean): string {
  const long = label.length > longChars ? "crumb-long" : "";
  return isLast ? `crumb-last ${long}` : long;
}
