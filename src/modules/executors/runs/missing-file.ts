/** Whether the error of a file operation says that the file does not exist. */
export function isFileMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
