import { shapes } from "./shapes.ts";
import type { Shape, ShapeName } from "./shapes.ts";
import "./icon.css";

/** Decoration: the word is beside it, or in the label of its button. */
export function Icon({ name, class: extra = "" }: { name: ShapeName; class?: string }) {
  return (
    <svg class={`icon ${extra}`} viewBox="0 0 16 16" aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}

/** All shapes, once for the page. */
export function Sprite() {
  return (
    <svg class="sprite" aria-hidden="true">
      {Object.entries<Shape>(shapes).map(([name, shape]) => (
        <symbol key={name} id={`i-${name}`} viewBox="0 0 16 16">
          {shape.paths.map((part) => (
            <path
              key={part.d}
              d={part.d}
              class={[
                part.isFilled === true ? "icon-fill" : "",
                part.isCut === true ? "icon-cut" : "",
                part.isFaint === true ? "icon-faint" : "",
                part.isTurning === true ? "icon-turn" : "",
              ].join(" ")}
              {...(part.dash === undefined ? {} : { "stroke-dasharray": part.dash })}
              {...(part.width === undefined ? {} : { "stroke-width": part.width })}
            />
          ))}
        </symbol>
      ))}
    </svg>
  );
}
