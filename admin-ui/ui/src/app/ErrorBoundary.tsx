import { Component, type ReactNode } from 'react';

/** Keeps a defect in one page from taking the whole console away. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failure: Error | undefined }> {
  override state: { failure: Error | undefined } = { failure: undefined };

  static getDerivedStateFromError(failure: Error) {
    return { failure };
  }

  override render() {
    const { failure } = this.state;
    if (failure === undefined) {
      return this.props.children;
    }
    return (
      <section className="failed" role="alert">
        <h2>This page cannot be shown, by a defect of the console</h2>
        <p className="failed-detail">{failure.message}</p>
        <p>
          The cluster is not touched by it.{' '}
          <button type="button" onClick={() => window.location.reload()}>
            Load again
          </button>
        </p>
      </section>
    );
  }
}
