package io.sluice.tiering.job;

import io.sluice.common.TimeSource;
import io.sluice.tiering.commit.Committer;
import io.sluice.tiering.commit.Lake;
import io.sluice.tiering.read.LogSource;
import io.sluice.tiering.write.WriteSettings;

/**
 * What a worker does its rounds with.
 *
 * @param source where rows come from
 * @param lake says from where a round starts
 * @param committer has rounds committed
 * @param planner decides what a round reads
 * @param settings how files are written
 * @param contact when the coordinator was last reached
 * @param observer is told what happens
 * @param clock times rounds
 */
public record WorkerParts(
    LogSource source,
    Lake lake,
    Committer committer,
    RoundPlanner planner,
    WriteSettings settings,
    CoordinatorContact contact,
    RoundObserver observer,
    TimeSource clock) {}
