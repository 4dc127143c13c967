// Node.js caches a module by its URL, so `setpoint dev` adds a number to the URL of a file that was
// edited. Stacks then contain the number, and editors do not find the file.

export const reloadMark = "?setpoint-reload=";

const marks = /\?setpoint-reload=\d+/g;

/** A text, such as a stack, with the plain names of the files. */
export function withoutReloadMarks(text: string): string {
  return text.replaceAll(marks, "");
}
