/** A promise, and the function that resolves it. */
export function gate() {
    let open;
    const opened = new Promise((resolve) => (open = resolve));
    return { opened, open };
}
