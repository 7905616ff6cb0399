"""Which ability an event speaks of, and which events speak of none.

Success and failure at one thing speak of the same ability: an environment in which a player miscounts exercises
counting just as one in which it counts right. So the wordings of a verdict are merged, and words that restate the
outcome or the form of a reply are silent: every environment has them, and they would make all
profiles alike.

Source: synonymous abilities are merged into reusable names of the form verb_object (Ability-aware Environment
Selection). Departures: there a language model labels and merges; here a table does, open at its end: an event that it
does not name is an ability of its own.
"""

from types import MappingProxyType

SILENT = frozenset({
    "reply_unreadable", "action_illegal",  # the form of a reply
    "goal_reached", "goal_missed", "task_completed", "opponent_won",  # the outcome
    "parts_all_ok", "parts_some_ok", "parts_none_ok",
})  # fmt: skip
"""Events that show no ability."""

_EVENTS: dict[str, tuple[str, ...]] = {
    # moving
    "avoid_collision": ("agents_collided", "agents_swapped"),
    "navigate_to_goal": ("moved_closer", "moved_away", "moved_level"),
    "foresee_carrying_move": ("carried_on",),
    "retrace_path": ("path_reversed",),
    "avoid_obstacle": ("edge_bumped", "obstacle_bumped"),
    "avoid_hazard": ("hazard_entered", "hazard_skirted"),
    "avoid_dead_end": ("dead_end_entered",),
    "wait_for_moment": ("turn_waited",),
    "take_back_move": ("move_undone",),
    # remembering
    "explore_unseen_area": ("unseen_explored",),
    "revisit_seen_area": ("seen_revisited",),
    "recall_earlier_turns": ("memory_used", "memory_missed"),
    "match_pairs": ("pair_matched", "pair_mismatched"),
    "track_object": ("object_tracked", "object_lost"),
    "find_difference": ("difference_found", "difference_missed"),
    "withhold_false_alarm": ("false_alarm",),
    "order_things": ("order_right", "order_wrong", "order_adjacent_swapped"),
    # inferring
    "choose_informative_trial": ("trial_informative", "trial_redundant"),
    "keep_to_evidence": ("guess_consistent", "guess_contradicted"),
    "prefer_certainty": ("certain_step_taken", "risk_taken"),
    "infer_rule": ("rule_found", "rule_missed"),
    # connecting
    "find_endpoints": ("start_right", "end_right"),
    "follow_connections": ("steps_connected", "step_disconnected"),
    "avoid_repetition": ("node_repeated",),
    "avoid_cycle": ("cycle_closed",),
    "minimise_cost": ("cost_optimal", "cost_excessive", "cost_near"),
    "complete_set": ("part_left_out",),
    "exclude_superfluous": ("part_superfluous",),
    "respect_capacity": ("capacity_kept", "capacity_exceeded"),
    "respect_precedence": ("precedence_kept", "precedence_broken"),
    # counting and computing
    "count_things": ("count_ok", "count_over", "count_under", "count_off_by_one"),
    "count_hidden_things": ("count_occluded_ok", "count_occluded_missed"),
    "notice_absence": ("count_zero_ok",),
    "add_numbers": ("sum_ok", "sum_off"),
    "simulate_rule": ("simulation_ok", "simulation_early_ok", "simulation_off"),
    # handling things
    "open_shut": ("way_opened",),
    "place_piece": ("piece_placed", "piece_misplaced"),
    "keep_placed_piece": ("piece_displaced",),
    "pursue_subgoal": ("subgoal_reached",),
    "protect_subgoal": ("subgoal_undone",),
    "carry_cargo": ("cargo_taken", "cargo_delivered"),
    "spend_resource": ("resource_wasted",),
    "orient_piece": ("turn_right", "turn_wrong"),
    "meet_deadline": ("deadline_kept", "deadline_missed"),
    # playing against somebody
    "make_threat": ("threat_made",),
    "keep_win": ("win_kept", "win_given_away"),
    "capture_piece": ("capture_made",),
    "see_attack": ("attack_seen", "attack_overlooked"),
    # keeping constraints
    "keep_constraint": ("constraint_kept", "constraint_broken"),
    "respect_given": ("given_changed",),
    "avoid_repeated_symbol": ("symbol_repeated",),
    "satisfy_clue": ("clue_kept", "clue_broken"),
    # judging
    "estimate_value": ("value_ok", "value_off", "value_near"),
    "tell_series_apart": ("series_confused",),
    "read_scale": ("scale_misread",),
    "find_extreme": ("largest_found", "largest_missed"),
    "find_crossing": ("crossing_found", "crossing_missed"),
    "locate_target": ("target_located", "target_near", "target_missed"),
    "reject_lookalike": ("lookalike_taken",),
    "tell_mirror_image": ("mirror_mistaken",),
    "rotate_in_mind": ("rotation_seen", "rotation_mistaken"),
    # handling controls
    "choose_control": ("control_right", "control_wrong"),
    "aim_click": ("click_missed",),
    "set_field": ("field_set", "field_missed"),
    "commit_in_time": ("committed_ready", "committed_early"),
}  # fmt: skip

ABILITY = MappingProxyType({event: ability for ability, events in _EVENTS.items() for event in events})
"""The ability behind an event, where it is not the event itself."""
