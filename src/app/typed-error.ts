// What the operating system refused outside the places that expect it, as an error with a code.
import { forbidden, isRefusal } from "../store/file-rights.ts";

/** A refusal that names its path, typed; every other error as it is. */
export function typedError(error: unknown): unknown {
  return isRefusal(error) && error.path !== undefined ? forbidden(error.path, error) : error;
}
