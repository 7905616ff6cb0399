"""The vocabulary of events: what a step may say that happened.

Events feed ability profiles, so a word names a piece of behaviour, never an environment, and serves several of them. To
add one, look for a word that already says it; a new word is snake_case, says what happened, and stays below the limit
of 150 in all.
"""

from types import MappingProxyType

VOCABULARY = MappingProxyType({
    # moving
    "moved_closer": "a move that shortens the way to the goal",
    "moved_away": "a move that lengthens the way to the goal",
    "moved_level": "a move that keeps the length of the way to the goal",
    "path_reversed": "a move back to where the last one came from",
    "edge_bumped": "a move against the edge of the world, without effect",
    "hazard_entered": "a move into something that ends the episode",
    "hazard_skirted": "a move that ends right beside a hazard",
    "drift_suffered": "chance turned a move aside",
    "goal_reached": "the goal was reached",
    "goal_missed": "a plan that ends elsewhere than at its goal",
    "agents_collided": "two that move at once came to one place",
    "agents_swapped": "two that move at once changed places through one another",
    "obstacle_bumped": "a move against something solid, without effect",
    "dead_end_entered": "a move after which the task can no longer be completed",
    # remembering
    "unseen_explored": "something not seen before was uncovered",
    "seen_revisited": "something already seen was uncovered once more",
    "memory_used": "a reply that can only be right by remembering earlier turns",
    "memory_missed": "a reply that ignores what earlier turns had shown",
    "pair_matched": "two things that belong together were found",
    "pair_mismatched": "two things that do not belong together were tried",
    # connecting
    "start_right": "an answer that starts where it should",
    "end_right": "an answer that ends where it should",
    "steps_connected": "every step of an answer follows a connection",
    "step_disconnected": "a step of an answer where there is no connection",
    "node_repeated": "an answer that visits the same place twice",
    "cost_optimal": "a valid answer that costs as little as possible",
    "cost_excessive": "a valid answer that costs more than necessary",
    "cost_near": "a valid answer that costs at most a quarter too much",
    # counting
    "count_ok": "a count that is right",
    "count_over": "a count that is too high",
    "count_under": "a count that is too low",
    "count_off_by_one": "a count that is wrong by one",
    "count_occluded_ok": "a right count that includes partly hidden things",
    "count_occluded_missed": "a count too low where things are partly hidden",
    "count_zero_ok": "a right count of something that is absent",
    "parts_all_ok": "every part of a joint answer is right",
    "parts_some_ok": "some parts of a joint answer are right, not all",
    "parts_none_ok": "no part of a joint answer is right",
    # handling things
    "key_taken": "something was taken that opens something else",
    "door_opened": "something shut was opened by what it takes to open it",
    "piece_placed": "a piece was put where it belongs",
    # playing against somebody
    "threat_made": "a move that threatens to win with the next one",
    "threat_blocked": "a move that keeps the opponent from winning with the next one",
    "opponent_won": "the opponent won",
    # keeping constraints
    "constraint_kept": "a part of an answer that keeps its constraint",
    "constraint_row_broken": "a row of an answer that breaks its constraint",
    "constraint_column_broken": "a column of an answer that breaks its constraint",
    "constraint_box_broken": "a box of an answer that breaks its constraint",
    "given_changed": "an answer that changes what was given",
    # judging
    "value_ok": "a value that is right, or near enough",
    "value_off": "a value that is wrong by more than allowed",
    "mirror_mistaken": "a mirror image was taken for the thing itself",
    # any world
    "reply_unreadable": "a reply that says nothing readable here",
    "action_illegal": "a readable reply that the rules do not allow here",
    "task_completed": "the last thing to be done was done",
})  # fmt: skip
"""Every word an environment of the house may use, with what it means."""
