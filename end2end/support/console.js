// A console free of errors and warnings, hydration's among them, and pages free of uncaught errors.

/** The browser's own line about a request that failed, which no page can keep out of the console. */
export const FAILED_TO_LOAD = /^Failed to load resource: /;

export class Console {
    constructor(context) {
        this.complaints = [];
        this.allowed = [];
        context.on('console', (message) => {
            if (['error', 'warning', 'assert'].includes(message.type())) this.complaints.push(message.text());
        });
        context.on('weberror', (error) => this.complaints.push(String(error.error())));
    }

    /** Lets lines pass that the test provokes. */
    allow(...patterns) {
        this.allowed.push(...patterns);
    }

    /** What was said and must not be. */
    get left() {
        return this.complaints.filter((text) => !this.allowed.some((pattern) => pattern.test(text)));
    }
}
